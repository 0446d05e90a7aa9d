/** What is wrong with the environment, a line for each variable. Never holds a value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Says which variable of an environment is wrong and what it should be, without its value. */
export type Complain<Environment = Record<string, unknown>> = (
  variable: keyof Environment & string,
  what: string,
) => never
