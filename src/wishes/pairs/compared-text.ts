import { normaliseText } from '../../runtime/text/normalise.ts'
import { inOneForm } from '../../runtime/text/same-words.ts'
import { stemInOneSpelling } from '../../runtime/text/spellings.ts'
import { isStopWord } from '../../runtime/text/words.ts'
import { type Place, type Product, productAt } from './products.ts'
import { type Subject, subjectOf } from './subject.ts'

/** UTF-16 units of a description that are compared: authors say first what they want. */
export const comparedLength = 1_000

export interface PostedTitle extends Place {
  title: string
}

export interface ComparedText {
  /** The title's stems in order, without stop words. */
  title: readonly string[]
  subject: Subject
  product: Product
  posted: PostedTitle
  /** How often each stem occurs in title and beginning of the description. */
  counts: ReadonlyMap<string, number>
  /** Each stem's words, as the vocabulary counts them. */
  words: ReadonlyMap<string, ReadonlySet<string>>
}

const maxStems = 50_000
const stems = new Map<string, string>()

/** Caches stems: few words make up most texts. */
function rememberedStem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= maxStems) stems.clear()
  const stem = stemInOneSpelling(word)
  stems.set(word, stem)
  return stem
}

/** What a title is about. */
export const subjectOfTitle = (title: string, { names }: Product): Subject => subjectOf(title, names, rememberedStem)

const telling = (words: readonly string[]): string[] => words.filter((word) => word !== '' && !isStopWord(word))

interface PostedText extends PostedTitle {
  description: string
}

/** A request's words as the search index stems them, in one spelling. */
export function comparedTextOf({ title, description, ...place }: PostedText): ComparedText {
  const counts = new Map<string, number>()
  const words = new Map<string, Set<string>>()
  const count = (word: string): string => {
    const stem = rememberedStem(word)
    counts.set(stem, (counts.get(stem) ?? 0) + 1)
    words.set(stem, (words.get(stem) ?? new Set()).add(word))
    return stem
  }
  const titleWords = normaliseText(title).split(' ')
  const stemsOfTitle = telling(inOneForm(titleWords, rememberedStem)).map(count)
  for (const word of telling(normaliseText(description.slice(0, comparedLength)).split(' '))) count(word)
  const product = productAt(place)
  const posted = { title, ...place }
  return { title: stemsOfTitle, subject: subjectOfTitle(title, product), product, posted, counts, words }
}
