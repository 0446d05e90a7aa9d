import { InvalidArgumentError } from 'commander'

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

/** What the help of every command that talks to a service ends with. */
export const environmentHelp = `
Environment:
  WISHWELL_URL       where the service is (default http://127.0.0.1:4680)
  WISHWELL_API_KEY   an API key of the service (required)`
