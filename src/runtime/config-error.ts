/** Faults of the environment, one line per variable, without values: they may be secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reports an invalid variable and what it should be, without its value. */
export type Complain<Environment = Record<string, unknown>> = (
  variable: keyof Environment & string,
  what: string,
) => never
