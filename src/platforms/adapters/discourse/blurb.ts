import { htmlToPlainText } from '../../content/text.ts'

/** An excerpt of a post, or its whole text where that is short. */
export interface Blurb {
  text: string
  isExcerpt: boolean
}

/** A longer text without a space is written in a script that has none. */
const longestWord = 40

/**
 * Reads the `blurb` of a search: 200 characters around the word that matches, with "..." where the text goes on, and cut
 * anywhere (discourse/discourse lib/search/grouped_search_results.rb). The part of a word at its start is left out.
 */
export function readBlurb(html: string): Blurb {
  // HTML, sometimes with marks around the words that match.
  const text = htmlToPlainText(html)
  const start = /^(?:\.{3}|…)\s*/.exec(text)?.[0]
  const isExcerpt = start !== undefined || /(?:\.{3}|…)$/.test(text)
  if (start === undefined) return { text, isExcerpt }
  const shown = text.slice(start.length)
  const space = shown.search(/\s/)
  // A space after the mark shows that it stands between words.
  const isPart = !/\s$/.test(start) && space >= 0 && space <= longestWord
  return { text: `… ${(isPart ? shown.slice(space) : shown).trimStart()}`, isExcerpt }
}
