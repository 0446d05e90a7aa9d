import { Command } from 'commander'
import { type Api, answerOf, createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd } from './options.ts'
import { exitWhenOutputCloses, formatList, printJson, printLines, type Row } from './output.ts'
import { printable, shellWord } from './text.ts'

/** What a client command's help says after its options. */
interface ClientHelp {
  notes?: string
  /** The meaning of exit codes 0, 1 and 5, if unusual. */
  ok?: string
  failed?: string
  limited?: string
  examples?: string
}

const clientHelp = (help: ClientHelp): string => {
  const { notes, ok = 'done', failed = 'the service refused', limited = 'too many requests', examples } = help
  const exits =
    `Exit codes: 0 ${ok}; 1 ${failed}; 2 the command line or the environment is wrong; 3 the service cannot be reached; ` +
    `5 ${limited}.`
  return [environmentHelp, notes, exits, examples && `Examples:\n${examples}`].filter(Boolean).join('\n\n')
}

/** An account's command. @param path its words, such as `watches list` */
export const clientCommand = (path: string, description: string, help: ClientHelp): Command =>
  new Command(path.split(' ').at(-1)).description(description).addHelpText('after', helpEnd(clientHelp(help)))

/** The option of every command that calls `printAnswer`. */
export interface Json {
  json: boolean
}

/** Adds `--json`. */
export const addJson = (command: Command): Command =>
  command.option('--json', 'print only the answer of the service, as one JSON object', false)

/** @returns a function that makes a group's commands, with `--json` */
export const subcommandsOf = (group: string, help: ClientHelp) => (name: string, description: string) =>
  addJson(clientCommand(`${group} ${name}`, description, help))

/** A command that groups others. */
export function commandGroup(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description)
  for (const command of commands) group.addCommand(command)
  return group
}

/** The command for the next page, with the given options; empty on the last page. */
export function moreOf(command: string, given: object, cursor: string | null): string[] {
  if (cursor === null) return []
  const options = Object.entries(given)
    .filter(([name]) => name !== 'json' && name !== 'cursor')
    .map(([name, value]) => (value === true ? `--${name}` : `--${name} ${shellWord(printable(String(value)))}`))
  return [`More: ${['wishwell', command, ...options, '--cursor', printable(cursor)].join(' ')}`]
}

/** The lines of a list's page and how to get the next. @param none printed for an empty list */
export const pageLines =
  <Item>(rowOf: (item: Item) => Row, none: string, command: string, given: object) =>
  ({ data: { results, cursor } }: { data: { results: readonly Item[]; cursor: string | null } }): string[] => [
    ...formatList(results, rowOf, none),
    ...moreOf(command, given, cursor),
  ]

/** Makes an account's call and prints the answer: raw with `--json`, else formatted. @throws ApiError */
export async function printAnswer<Envelope>(
  { json }: Json,
  call: (api: Api) => Promise<{ data?: Envelope }>,
  format: (answer: Envelope) => string[],
): Promise<void> {
  exitWhenOutputCloses()
  const answer = await answerOf(call(createApi(readClientConfig())))
  if (json) printJson(answer)
  else printLines(format(answer))
}
