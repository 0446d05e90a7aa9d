export function runCompiler(directory: string, options: readonly string[]): void
export function compileInto(directory: string): void
export function ensureService(): string
