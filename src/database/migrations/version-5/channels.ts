export const channels: readonly string[] = []
