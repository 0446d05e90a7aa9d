/** How people phrase a wish, most productive first. Where one phrase is searched at a time, they run round-robin. */
export const wishPhrases = ['feature request', 'I wish', 'would be nice if', 'please add'] as const

/** Other wordings of a wish that are not searched for; a space matches any white space. */
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

/** Whether a text is worded like a wish. Only a weak filter for sources that say little. */
export function expressesWish(text: string): boolean {
  return wish.test(text)
}
