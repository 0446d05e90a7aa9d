import { type AddHelpTextContext, InvalidArgumentError, Option } from 'commander'
import { type SortOrder, sortSynonyms } from '../http/sort-order.ts'
import { fitLines } from './output.ts'

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

/** What `--since` and `--until` say in every help; the service reads the dates. */
export const dateHelp = {
  since: 'only posted then or later: a UTC day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z',
  until: 'only posted before then, in the same forms',
}

/** The option `--sort` of a list or a search that has these orders; synonyms are accepted too. */
export const sortOption = (orders: readonly SortOrder[], description: string): Option =>
  new Option('--sort <order>', description).choices([...orders, ...Object.keys(sortSynonyms)])

/** What commander takes for the width of what is no terminal. */
const pipedHelpColumns = 80

/** Lines of a text that the source breaks, as one: up to one that ends a sentence, or before one that is indented. */
const joinBroken = (text: string) => text.replace(/(?<=[^\n.:])\n(?=[^\s])/g, ' ')

/** The end of a help, broken to the width of the terminal as commander breaks the rest of it. */
export const helpEnd =
  (text: string) =>
  ({ error }: AddHelpTextContext): string => {
    const stream = error ? process.stderr : process.stdout
    return fitLines(joinBroken(text).split('\n'), stream.isTTY ? stream.columns : pipedHelpColumns).join('\n')
  }

/** What the help of every command that talks to a service ends with. */
export const environmentHelp = `
Environment:
  WISHWELL_URL       where the service is (default http://127.0.0.1:4680)
  WISHWELL_API_KEY   an API key of the service (required)`
