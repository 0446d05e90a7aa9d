/**
 * Characters that are not seen, but change how the text around them is read: marks of direction, tags, of width zero. Not among them are
 * signs that are seen though Unicode calls them formats (Prepended_Concatenation_Mark of PropList.txt), and ZERO WIDTH (NON-)JOINER,
 * which are part of words in Persian, in the scripts of India, and of emoji.
 */
const unseen = /[\p{Cf}--[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/gv
/** Whether anything of a text is seen: more than white space, marks of direction, fillers and the blank of Braille. */
export const isSeen = (text: string): boolean =>
  /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** The flags of England, Scotland and the like: a black flag and tags (RGI_Emoji_Tag_Sequence of emoji-sequences.txt). */
const flag = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]+\u{e007f})/u
/** Joiners that join nothing, because nothing is before them: they could only make a text look empty, or like another one. */
const strayJoiners = /(^|\s)[\u200c\u200d]+/g
const repeatedJoiners = /([\u200c\u200d])[\u200c\u200d]+/g

/** A text without the characters that are not seen and can make it look like another one. Words keep their spelling. */
export const withoutUnseen = (text: string): string =>
  text
    .split(flag)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(unseen, '')))
    .join('')
    .replace(strayJoiners, '$1')
    .replace(repeatedJoiners, '$1')
