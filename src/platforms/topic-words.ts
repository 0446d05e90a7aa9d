/** Equal for topics that differ only in compatibility forms, case and white space. */
export const topicKey = (topic: string): string => topic.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()

/**
 * Quotes words, so that `and`, `$name` or `#name` is no operator.
 * @param limit in UTF-16 units, no less than any platform counts; drops words from the first that does not fit
 * @returns "" if nothing is left
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
 * Drops search operators: quotes, brackets, colons, leading minus signs, upper-case AND, OR, NOT; keeps C++, C#, .NET,
 * node.js, don't.
 * @returns an empty list if nothing is left: then send no request, for which platforms return arbitrary results
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
