/**
 * How people phrase a wish on platforms that have no tag for wishes; the phrase that finds the most wishes comes first. Where
 * only one phrase can be searched for at a time, they are searched round-robin, a page each.
 */
export const wishPhrases = ['feature request', 'I wish', 'would be nice if', 'please add'] as const
