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
