/** Whether this code was compiled to JavaScript, as in the package. In a clone Node runs the TypeScript. */
export const isCompiled: boolean = !import.meta.url.endsWith('.ts')

/**
 * The address of a module that a thread or a process starts with. The compiler rewrites the names of imports, but not these.
 * @param path relative to the module `from`, without an extension
 * @param from its `import.meta.url`
 */
export const moduleFile = (path: string, from: string): URL => new URL(`${path}${isCompiled ? '.js' : '.ts'}`, from)
