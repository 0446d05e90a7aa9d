import { type AddHelpTextContext, type Command, InvalidArgumentError, Option } from 'commander'
import { isId } from '../http/ids.ts'
import { type SortOrder, sortSynonyms } from '../http/sort-words.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { columnsOf, fitLines } from './output.ts'
import { printable } from './text.ts'

/** Parses a whole number. */
export const wholeNumber = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  }
  return value
}

/** Checks ids in arguments and options, such as `<wishId>`. @throws CommandError for anything that is no id */
export function requireIds(command: Command): void {
  const options = command.options.map((option): [string, unknown] => [
    /<(\w+)>/.exec(option.flags)?.[1] ?? '',
    command.opts()[option.attributeName()],
  ])
  const given = command.registeredArguments.map((one, index): [string, unknown] => [
    one.name(),
    command.processedArgs[index],
  ])
  for (const [name, value] of [...given, ...options]) {
    if (!/Ids?$/.test(name)) continue
    const wrong = [value ?? []].flat().find((one) => !isId(String(one)))
    if (wrong === undefined) continue
    throw new CommandError(
      `${name}: "${printable(String(wrong))}" is no id. An id has 36 characters, such as 8f0c2a53-6f0e-4a55-9d37-2f3a1f5c9b1e.`,
      exitCodes.usage,
    )
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes fields that were not given. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

/** The changes that a command makes. @throws CommandError if no option does */
export function changes<Fields extends object>(fields: Fields): Fields {
  if (Object.keys(fields).length > 0) return fields
  throw new CommandError('Give at least one option that says what changes.', exitCodes.usage)
}

/** Parses an option that becomes a header. */
export function visibleAscii(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new InvalidArgumentError('It must be ASCII and hold no spaces.')
  return text
}

/** Parses a comma list of words, ignoring case. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
}

/** Collects a repeated option. */
export const collectValues = (text: string, before: string[] = []): string[] => [...before, text]

/** Collects repeated `--source platform:source` options. @param before the sources so far, by platform */
export function collectSource(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const [, platform, source] = /^([a-z]+):(.+)$/.exec(text.trim()) ?? []
  if (platform === undefined || source === undefined || /^https?$/.test(platform)) {
    throw new InvalidArgumentError('It must be a platform, a colon and a source, such as github:owner/repository.')
  }
  return { ...before, [platform]: [...(before[platform] ?? []), source] }
}

/** The help of `--since` and `--until`, whose dates the service parses. */
export const dateHelp = {
  since: 'only requests posted then or later: a UTC day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z',
  until: 'only requests posted before then, in the same forms',
}

/** The option `--sort` for a list or search with these orders and their synonyms. */
export const sortOption = (orders: readonly SortOrder[], description: string): Option =>
  new Option('--sort <order>', description).choices([...orders, ...Object.keys(sortSynonyms)])

const pipedHelpColumns = 80

/** Joins a paragraph's lines, keeping breaks after sentences and before indented lines. */
const joinBroken = (text: string) => text.replace(/(?<=[^\n.:])\n(?=[^\s])/g, ' ')

/** The end of a help text, wrapped to the terminal's width like commander's own parts. */
export const helpEnd =
  (text: string) =>
  ({ error }: AddHelpTextContext): string => {
    const stream = error ? process.stderr : process.stdout
    return fitLines(joinBroken(text).split('\n'), columnsOf(stream) ?? pipedHelpColumns).join('\n')
  }

/** Whether a path is an operator's, which takes the admin key. */
export const isAdminPath = (path: string): boolean => path.startsWith('/api/admin/')

/** The short forms of options, the same in every command. */
export const shortFlags: Readonly<Record<string, string>> = {
  '--json': '-j',
  '--limit': '-l',
  '--sort': '-s',
  '--topic': '-t',
  '--query': '-q',
  '--platforms': '-p',
  '--cursor': '-c',
  '--format': '-f',
  '--out': '-o',
  '--name': '-n',
  '--watch': '-w',
  '--depth': '-D',
  '--data': '-d',
  '--header': '-H',
  '--yes': '-y',
}

/** The end of every client command's help. */
export const environmentHelp = `
Without --url and --key:
  WISHWELL_URL       the address of the service (default: http://127.0.0.1:4680)
  WISHWELL_API_KEY   an API key of the service
Without these: what "wishwell login" saved; its key goes to its own address only.`
