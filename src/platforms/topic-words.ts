/** Equal for topics that differ only in compatibility forms, case and the amount of white space. */
export const topicKey = (topic: string): string => topic.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()

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

const quotesAndBrackets = /["“”„«»`\\[\](){}<>:\p{Cc}]/gu
const operators = new Set(['AND', 'OR', 'NOT'])

/**
 * The words of a topic without operators of search engines: no quotes, brackets, colons (`repo:`, `user:`), leading minus
 * signs or upper-case AND, OR, NOT. Names stay whole: C++, C#, .NET, node.js, don't.
 * @returns an empty list when the topic has nothing to search for. Then no request should be sent: the platforms answer an
 *   empty query with arbitrary results.
 */
export function searchWords(topic: string): string[] {
  return topic
    .toWellFormed()
    .replace(quotesAndBrackets, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^-+/, ''))
    .map((word) => (operators.has(word) ? word.toLowerCase() : word))
    .filter((word) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(word))
}
