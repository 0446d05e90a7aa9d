import { type AddHelpTextContext, InvalidArgumentError, Option } from 'commander'
import { type SortOrder, sortSynonyms } from '../http/sort-words.ts'
import { columnsOf, fitLines } from './output.ts'

/** A parser of an option that is a whole number. */
export const wholeNumber = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  }
  return value
}

/** Parses an option that becomes a header. */
export function visibleAscii(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new InvalidArgumentError('It must be ASCII and hold no spaces.')
  return text
}

/** Parses an option that is a comma list. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Parses an option that may be given several times: all of its values. */
export const collectValues = (text: string, before: string[] = []): string[] => [...before, text]

/**
 * Parses one `--source platform:source` after the others.
 * @param before the sources so far, by platform.
 */
export function collectSource(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const [, platform, source] = /^([a-z]+):(.+)$/.exec(text.trim()) ?? []
  if (platform === undefined || source === undefined || /^https?$/.test(platform)) {
    throw new InvalidArgumentError('It must be a platform, a colon and a source, such as github:owner/repository.')
  }
  return { ...before, [platform]: [...(before[platform] ?? []), source] }
}

/** What `--since` and `--until` say in every help; the service reads the dates. */
export const dateHelp = {
  since: 'only requests posted then or later: a UTC day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z',
  until: 'only requests posted before then, in the same forms',
}

/** The option `--sort` of a list or a search that has these orders; synonyms are accepted too. */
export const sortOption = (orders: readonly SortOrder[], description: string): Option =>
  new Option('--sort <order>', description).choices([...orders, ...Object.keys(sortSynonyms)])

/** The width that commander assumes without a terminal. */
const pipedHelpColumns = 80

/** Joins the lines of a paragraph: a line break stays after the end of a sentence and before an indented line. */
const joinBroken = (text: string) => text.replace(/(?<=[^\n.:])\n(?=[^\s])/g, ' ')

/** The end of a help text, wrapped to the width of the terminal like the parts that commander prints. */
export const helpEnd =
  (text: string) =>
  ({ error }: AddHelpTextContext): string => {
    const stream = error ? process.stderr : process.stdout
    return fitLines(joinBroken(text).split('\n'), columnsOf(stream) ?? pipedHelpColumns).join('\n')
  }

/** The end of the help of every client command. */
export const environmentHelp = `
Environment:
  WISHWELL_URL       the address of the service (default http://127.0.0.1:4680)
  WISHWELL_API_KEY   an API key of the service (required)`
