import type { Command } from 'commander'
import { isId } from '../http/ids.ts'
import { CommandError, exitCodes, type Mistake } from './exit-codes.ts'
import { commandMeanings, suggestCommands, suggestOptions } from './suggestions.ts'
import { printable } from './text.ts'

/** A command's words, without the program's; "import FILE" is internally the command `file`. */
const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), ...(isImport(command) ? [] : [command.name()])]

const isImport = (command: Command) => command.name() === 'file' && command.parent?.name() === 'import'

const written = (command: Command) => ['wishwell', ...pathOf(command)].join(' ')

/** What was written, without keys. */
const shown = (word: string) => (/^ww_/.test(word) ? 'ww_…' : printable(word).slice(0, 60))

const didYouMean = (meant: readonly string[]) => (meant.length === 0 ? null : `Did you mean "${meant.join('" or "')}"?`)

const helpOf = (command: Command, what: 'command' | 'option') => `"${written(command)} --help" shows every ${what}.`

function explainCommand({ command, words }: Mistake, program: Command): string {
  const group = pathOf(command)
  const names = command.commands.map((one) => one.name()).filter((name) => name !== 'help' && name !== 'file')
  const others = group.length === 0 ? '' : `Its commands are ${names.join(', ')}: `
  const help = didYouMean(suggestCommands(program, { group, words })) ?? others + helpOf(command, 'command')
  const none = command.name() === 'import' ? 'no file and no command' : 'no command'
  return `There is ${none} "${written(command)} ${shown(words[0] ?? '')}". ${help}`
}

function explainOption({ command, words: [first = '', next] }: Mistake, program: Command): string {
  const [flag = '', value = next] = first.split(/=(.*)/s)
  const known = [command, program].flatMap(({ options }) =>
    options.filter(({ hidden }) => !hidden).map(({ long }) => long!),
  )
  if (known.includes(flag)) return `${flag} takes no value.`
  const names = known.map((long) => long.slice(2)).filter((name) => name !== 'version' || command.parent === null)
  const meant = suggestOptions(flag.replace(/^-+/, ''), value, names).map((name) => `--${name}`)
  return `There is no option "${shown(flag)}" of "${written(command)}". ${didYouMean(meant) ?? helpOf(command, 'option')}`
}

/** Explains surplus arguments, or a subcommand of a command that has none. */
function explainArguments({ command, words }: Mistake, program: Command): string {
  const name = written(command)
  if (name === 'wishwell login')
    return 'Too many arguments: others may see a key there. "wishwell login" asks for it, and "wishwell login < key.txt" reads it from a file.'
  if (isImport(command) && !words[0]?.includes('.'))
    return explainCommand({ command: command.parent!, kind: 'command', words }, program)
  const taken = command.registeredArguments.map((one) => one.name())
  const [first = '', ...rest] = words.map(shown)
  const verbs = [first, ...(commandMeanings.get(first) ?? [])].filter((one) =>
    /^(?:list|show|search|delete)$/.test(one),
  )
  // All words of an intended topic belong to it.
  const isVerb = verbs.length > 0 && pathOf(command).length === 1 && !command.registeredArguments[0]?.required
  const given = (isVerb ? rest : words.map(shown).slice(Math.max(0, taken.length - 1))).join(' ')
  const search = command.options.find(({ long }) => long === '--query' || long === '--topic')?.long
  const option = taken.length === 0 || (isVerb && verbs.includes('search')) ? search : undefined
  const isText = option !== undefined || /^(?:topic|term|name)$/.test(taken.at(-1) ?? '')
  const start = [name, ...taken.slice(0, -1).map((one) => `<${one}>`), option ?? []].flat().join(' ')
  const text = isText && given !== '' && !verbs.includes('delete') ? `${start} ${JSON.stringify(given)}` : null
  const instead = isVerb && given === '' ? name : text
  const most = taken.length === 0 ? 'none' : `only <${taken.join('> <')}>`
  return `Too many arguments: "${name}" takes ${most}. ${instead === null ? helpOf(command, 'option') : `Did you mean: ${instead}`}`
}

/** The error that says what to write instead. @param program with every command */
export function explainMistake(mistake: Mistake, program: Command): CommandError {
  const explain = { command: explainCommand, option: explainOption, arguments: explainArguments }[mistake.kind]
  return new CommandError(explain(mistake, program), exitCodes.usage)
}

const renamed: Readonly<Record<string, string>> = { mutedNews: 'mute', areRequests: 'all-requests', mark: 'as' }

function optionOf({ options }: Command, field: string): string | undefined {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const forms = [
    name,
    renamed[field],
    name.replace(/s$/, ''),
    name.replace(/-(?:ids?|at|by)$/, ''),
    name.split('-').at(-1),
  ]
  return options.find(({ long = '' }) => forms.includes(long.slice(2)) || long.endsWith(`-${name}`))?.long
}

/** How a command line writes an API field: as an option, an argument or a `--field`, if at all. */
function wordOf(command: Command, path: string): string | undefined {
  const [field = ''] = path.split(/[.[\]]+/).filter((one) => !/^(?:\d*|filters|period)$/.test(one))
  if (command.registeredArguments.some((one) => one.name() === field)) return field
  return optionOf(command, field) ?? (optionOf(command, 'field') && `--field ${field}`)
}

/** Rewords the service's error about a command-line value in terms of the command line. */
export function inWordsOf(command: Command, error: CommandError & { code?: unknown }): CommandError {
  const [given = ''] = command.args
  if (error.code === 'NOT_FOUND' && given !== '' && !isId(given))
    return new CommandError(
      `${error.message.slice(0, -1)}: ${JSON.stringify(shown(given))}. "${listOf(command)}" shows what there is.`,
    )
  if (error.code !== 'INVALID_REQUEST' || command.name() === 'api') return error
  let exitCode: number = exitCodes.usage
  const message = error.message
    .replace(/^body: must have (.*)\.$/m, (line, fields: string) => {
      const words = fields.split(/, | or | and /).flatMap((field) => optionOf(command, field.split(' ').at(-1)!) ?? [])
      return words.length === 0 ? line : `Give ${words.join(' or ')}.`
    })
    .replace(/^( *)([A-Za-z][\w.[\]-]*): /gm, (line, indent: string, path: string) => {
      const word = wordOf(command, path)
      if (word === undefined) exitCode = error.exitCode
      return word === undefined ? line : `${indent}${word}: `
    })
  return new CommandError(message, exitCode)
}

const listOf = (command: Command) => written(command.parent?.commands.find((one) => one.name() === 'list') ?? command)
