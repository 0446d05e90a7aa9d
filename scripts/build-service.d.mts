export function compileInto(directory: string, options?: readonly string[]): void
export function ensureService(): string
