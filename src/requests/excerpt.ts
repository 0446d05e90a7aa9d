/** The maximum characters (code points) of a description that a list or a search shows. */
export const excerptLength = 2_000
/** How many characters must be read to see whether a text is longer than its excerpt. */
export const excerptProbe = excerptLength + 1

/** How far before the limit the end of a word is searched; a script without spaces is cut at the limit. */
const wordSearch = 100

/**
 * What lists and searches show of a description: all of it, or its beginning up to the end of a word.
 * @param text at least the first `excerptProbe` code points of it.
 */
export function excerptOf(text: string): { description: string; descriptionTruncated: boolean } {
  // A code point has one or two UTF-16 units, so a text with no more units than that is whole.
  if (text.length <= excerptLength) return { description: text, descriptionTruncated: false }
  const characters = Array.from(text.slice(0, 2 * excerptProbe))
  if (characters.length <= excerptLength) return { description: text, descriptionTruncated: false }
  const shown = characters.slice(0, excerptLength).join('')
  // Where the first character that is left out is white space, the last word is whole.
  const endsWord = /^\s/u.test(characters[excerptLength]!)
  const lastSpace = endsWord ? -1 : shown.search(/\s\S*$/u)
  const end = lastSpace < shown.length - wordSearch ? shown.length : lastSpace
  return { description: shown.slice(0, end).trimEnd(), descriptionTruncated: true }
}
