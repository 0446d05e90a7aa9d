/**
 * Invisible characters that change how text reads: direction marks, tags, zero width. Excludes visible format
 * characters (Prepended_Concatenation_Mark, PropList.txt) and ZERO WIDTH (NON-)JOINER, part of words in Persian and
 * Indic scripts, and of emoji.
 */
const unseen = /[\p{Cf}--[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/gv
/** Whether text is visible: more than white space, direction marks, fillers and blank Braille. */
export const isSeen = (text: string): boolean =>
  /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** Flags such as England's: a black flag and tags (RGI_Emoji_Tag_Sequence, emoji-sequences.txt). */
const flag = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]+\u{e007f})/u
/** Joiners after nothing only make a text look empty, or like another one. */
const strayJoiners = /(^|\s)[\u200c\u200d]+/g
const repeatedJoiners = /([\u200c\u200d])[\u200c\u200d]+/g

/** Removes invisible characters that can disguise a text. Words keep their spelling. */
export const withoutUnseen = (text: string): string =>
  text
    .split(flag)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(unseen, '')))
    .join('')
    .replace(strayJoiners, '$1')
    .replace(repeatedJoiners, '$1')
