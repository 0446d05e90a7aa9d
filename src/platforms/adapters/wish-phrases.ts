/**
 * How people tell a wish where a platform has no tag for one, the most telling first. Where only one can be searched for at a
 * time, they take turns, a page each.
 */
export const wishPhrases = ['feature request', 'I wish', 'would be nice if', 'please add'] as const
