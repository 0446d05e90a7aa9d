import { searchWords } from '../topic-words.ts'

/**
 * The words of a topic, each in double quotes: there a word is never an operator, also where a platform reads `and`, `$name`
 * or `#name` as one.
 * @param limit in UTF-16 units, which no platform counts dearer; a word that does not fit and all after it are left out.
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
