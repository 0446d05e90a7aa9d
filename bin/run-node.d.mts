export const memoryFlags: readonly string[]
