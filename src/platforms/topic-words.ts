const quotesAndBrackets = /["“”„«»`\\[\](){}<>:\p{Cc}]/gu
const operators = new Set(['AND', 'OR', 'NOT'])

/**
 * The words of a topic, with everything that a search engine would take for an operator made harmless: no quotes,
 * brackets, colons (`repo:`, `user:`), leading minus signs or upper-case AND, OR, NOT. What makes names is kept: C++, C#,
 * .NET, node.js, don't.
 * @returns an empty list when the topic has nothing to search for; no request should be sent then, since the platforms
 *   would answer with whatever they have.
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
