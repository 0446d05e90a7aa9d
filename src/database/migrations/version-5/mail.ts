export const mail: readonly string[] = []
