/**
 * Characters that are not seen, but change how the text around them is read: marks of direction, tags, of width zero. Not among them are
 * signs that are seen though Unicode calls them formats (Prepended_Concatenation_Mark of PropList.txt), and ZERO WIDTH (NON-)JOINER,
 * which are part of words in Persian, in the scripts of India, and of emoji.
 */
const unseen = /[\p{Cf}--[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/gv
/** Joiners that join nothing. */
const strayJoiners =
  /(?<![\p{L}\p{M}\p{N}\p{Emoji}\ufe0f])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}\p{N}\p{Emoji}])/gv

/** A text without the characters that are not seen and can make it look like another one. Words keep their spelling. */
export const withoutUnseen = (text: string): string => text.replace(unseen, '').replace(strayJoiners, '')
