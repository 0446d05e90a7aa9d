/** What is wrong with the environment, a line for each variable. Never holds a value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
