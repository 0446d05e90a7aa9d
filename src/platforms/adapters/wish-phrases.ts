/**
 * How people phrase a wish on platforms that have no tag for wishes; the phrase that finds the most wishes comes first. Where
 * only one phrase can be searched for at a time, they are searched round-robin, a page each.
 */
export const wishPhrases = ['feature request', 'I wish', 'would be nice if', 'please add'] as const

/** Other ways to word a wish, beside the phrases that are searched for; a space is any white space. */
const wordings = [
  'feature requests?',
  'i wish',
  'wish (?:there|it|they|you|we)',
  "(?:would|['’]d) be (?:nice|great|cool|good|awesome|helpful|useful)",
  "(?:would|['’]d) (?:love|like) (?:to|it|if|an?|the|some)",
  '(?:please|pls|plz) (?:also |just )?(?:add|make|bring|implement|include|support|allow|enable|consider|give|let)',
  'can (?:you|we|u) (?:please )?(?:add|have|get)',
  '(?:should|could) (?:have|add|support)',
  'needs? (?:an?|the) (?:option|way|setting|button|mode)',
  'missing (?:feature|option)',
]
const wish = new RegExp(`(?<![\\p{L}\\p{N}])(?:${wordings.join('|').replaceAll(' ', '\\s+')})(?![\\p{L}\\p{N}])`, 'iu')

/** Whether a text words a wish in one of the common ways. It narrows where the source of a text says little, nothing more. */
export function expressesWish(text: string): boolean {
  return wish.test(text)
}
