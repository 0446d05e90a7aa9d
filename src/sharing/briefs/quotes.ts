import type { PlatformName } from '../../database/column-types.ts'
import { detect } from '../../requests/detection/detect.ts'
import { readForm } from '../../requests/detection/form.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { isStopWord, wordsOf } from '../../runtime/text/words.ts'
import { bounded } from '../pages/bounded.ts'
import type { BriefQuote } from './schemas.ts'

/** In characters: shorter sentences say little alone; longer ones are cut. */
const [minSentence, maxSentence] = [25, 300]
/** Nor does a sentence with fewer words of its own: "There is not much more to say". */
const minWords = 3
/** Sentences examined per text: what is wanted comes early or not at all. */
const maxSentences = 40

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** A line of code, a log or a quotation, not a sentence of the author's. */
const noProse = /^(?:[>$#|{}<]|```|at \S+\(|\d{4}-\d\d-\d\d[T ]\d\d:)|[;{}]$/u

/** Whether the text shows as is: nothing hidden, reversed or stacked. */
const isPlain = (text: string) => bounded(text, maxSentence).text === text

const ownWords = (text: string) => wordsOf(text).filter((word) => !isStopWord(word)).length

/** The first `maxSentence` characters of a sentence, up to the end of a word. */
function beginningOf(sentence: string): string {
  const cut = Array.from(sentence)
    .slice(0, maxSentence - 1)
    .join('')
  const end = cut.search(/\s\S*$/u)
  return cut.slice(0, end < maxSentence / 2 ? cut.length : end).trimEnd()
}

interface Sentence {
  text: string
  isWhole: boolean
}

/** The quotable sentences of a text, verbatim and in order. */
function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = []
  for (const line of text.split('\n')) {
    if (noProse.test(line.trim())) continue
    for (const { segment } of sentences.segment(line)) {
      if (found.length >= maxSentences) return found
      const sentence = segment.trim()
      const length = Array.from(sentence).length
      const quoted =
        length > maxSentence ? { text: beginningOf(sentence), isWhole: false } : { text: sentence, isWhole: true }
      if (length >= minSentence && ownWords(quoted.text) >= minWords && isPlain(quoted.text)) found.push(quoted)
    }
  }
  return found
}

/** The sentence that best says what is wanted; null if the text has none that can be quoted. */
export function tellingSentence({
  title,
  description,
  descriptionTruncated,
  sourcePlatform: platform,
}: RequestRecord): Sentence | null {
  const authors = readForm(description).text
  // Verbatim: text changed by reading the form is not the author's.
  const text = description.includes(authors) ? authors : description
  let best: Sentence | null = null
  let most = -1
  for (const sentence of sentencesOf(text)) {
    if (sentence.text === title || !description.includes(sentence.text)) continue
    const { confidence } = detect({ title: '', description: sentence.text, platform, tags: [] })
    if (confidence > most) [best, most] = [sentence, confidence]
  }
  if (best === null) return null
  // The last sentence of a truncated text may be incomplete.
  const isCut = descriptionTruncated && description.endsWith(best.text) && !/[.!?…]$/u.test(best.text)
  return isCut ? { ...best, isWhole: false } : best
}

const nameOf = ({ authorName, authorHandle }: RequestRecord): string | null => {
  const name = bounded((authorName ?? '').replace(/\s+/gu, ' '), 100).text
  const handle = bounded((authorHandle ?? '').replace(/\s+/gu, ' '), 100).text
  if (name === '' || name === handle) return handle === '' ? null : handle
  return handle === '' ? name : `${name} (${handle})`
}

/** A request's text as a quotation with its origin. */
export const quoteOf = (record: RequestRecord, { text, isWhole }: Sentence): BriefQuote => ({
  text,
  isWhole,
  requestId: record._id,
  votes: record.votes,
  ...(record.stars !== null && { stars: record.stars }),
  author: nameOf(record),
  authorUrl: record.authorProfileUrl,
  postedAt: record.originalCreatedAt,
  platform: record.sourcePlatform as PlatformName,
  sourceName: record.sourceName,
  sourceUrl: record.sourceUrl,
  license: record.license,
})

/** A request's title as a quotation; null if nothing of it is visible. */
export function titleQuote(record: RequestRecord): BriefQuote | null {
  const title = record.title.trim()
  if (title === '') return null
  if (isPlain(title)) return quoteOf(record, { text: title, isWhole: true })
  const shown = bounded(title.replace(/\s+/gu, ' '), maxSentence).text
  return shown === '' ? null : quoteOf(record, { text: shown.replace(/…$/u, ''), isWhole: false })
}
