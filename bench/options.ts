/**
 * A positive whole number of the command line. Ends the program with exit code 2 and one sentence for anything else, since a bench with NaN
 * runs for ever or measures nothing.
 * @param options what `parseArgs` read.
 * @param name of the option, without dashes.
 */
export function positive<Name extends string>(options: { [name in Name]?: string }, name: Name): number {
  const text = options[name]
  const number = Number(text)
  if (text !== undefined && /^\d+$/.test(text) && number > 0) return number
  console.error(`--${name} ${text ?? ''}: expected a whole number from 1.`)
  return process.exit(2)
}
