export const feeds: readonly string[] = []
