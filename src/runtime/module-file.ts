/** Whether this is compiled JavaScript, as in the package; a clone runs the TypeScript. */
export const isCompiled: boolean = !import.meta.url.endsWith('.ts')

/**
 * Address of a module for a thread or process, which the compiler does not rewrite.
 * @param path relative to `from`, without extension
 * @param from its `import.meta.url`
 */
export const moduleFile = (path: string, from: string): URL => new URL(`${path}${isCompiled ? '.js' : '.ts'}`, from)
