import { searchWords } from '../topic-words.ts'

/**
 * The words of a topic, each in double quotes. A quoted word is never an operator, also on platforms where `and`, `$name` or
 * `#name` is one.
 * @param limit in UTF-16 units; no platform counts a text as longer. A word that does not fit is left out, with all after it.
 * @returns an empty text when there is nothing to search for.
 */
export function quotedWords(topic: string, limit: number): string {
  let quoted = ''
  for (const word of searchWords(topic)) {
    const longer = quoted === '' ? `"${word}"` : `${quoted} "${word}"`
    if (longer.length > limit) break
    quoted = longer
  }
  return quoted
}
