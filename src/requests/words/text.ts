import { normaliseText, unspacedCharacterPattern } from '../../runtime/text/normalise.ts'

/** A sentence ends at a mark before a space, or at the line end. In scripts without spaces, the mark suffices. */
const sentence = /[^\n]*?(?:[.!?…](?=\s|$)|[。！？]|\n|$)/gu

/** Upper case inside a word separates parts of a name, so it matters. */
const innerUpperCase = /[\p{L}\p{N}]\p{Lu}/u

/** The comparable form of a sentence. Marks inside it matter: C, C++ and C# are three words. */
function formOf(text: string): string {
  const form = text.replace(/\s+/gu, ' ').replace(/^[\s*>•–-]+|(?<![\s.!?…。！？,;:])[\s.!?…。！？,;:]+$/gu, '')
  return innerUpperCase.test(form) ? form : form.toLowerCase()
}

/** Splits a text where repeated sentences were removed, so that no phrase spans a gap. Linear time. */
function withoutRepeatedSentences(text: string): string[] {
  const seen = new Set<string>()
  const parts: string[] = []
  let start = 0
  for (const match of text.matchAll(sentence)) {
    const form = formOf(match[0])
    if (form === '') continue
    if (seen.has(form)) {
      if (match.index > start) parts.push(text.slice(start, match.index))
      start = match.index + match[0].length
    }
    seen.add(form)
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

/** Longer repeated runs have punctuation. */
const maxPeriod = 40
/** Shorter repetitions are language: "very, very", "no, no, no". */
const minRun = 6

/** How many words from `position` on repeat the `period` words before it. */
function copiedFrom(words: readonly string[], position: number, period: number): number {
  let end = position
  while (end < words.length && words[end] === words[end - period]) end++
  const copied = Math.floor((end - position) / period) * period
  return period + copied >= minRun ? copied : 0
}

/** The parts of a normalized text that remain after removing immediately repeated runs of words. */
export function withoutRepeatedRuns(text: string): string[] {
  const words = text.split(' ')
  const parts: string[] = []
  let start = 0
  for (let position = 1; position < words.length; position++) {
    for (let period = 1; period <= Math.min(maxPeriod, position - start); period++) {
      const copied = copiedFrom(words, position, period)
      if (copied === 0) continue
      parts.push(words.slice(start, position).join(' '))
      start = position + copied
      position = start
      break
    }
  }
  if (start < words.length) parts.push(words.slice(start).join(' '))
  return parts
}

/** The searchable fields of a request. */
export interface SearchedRequest {
  title: string
  description: string
  tags: readonly string[]
  authorName: string | null
  authorHandle: string | null
}

/** UTF-16 units of a request's text that are indexed; what follows in a longer description is not found. */
export const searchTextLimit = 20_000
/** How much more a word in the title counts than in the description. */
const titleWeight = 4

const unspacedCharacter = new RegExp(unspacedCharacterPattern, 'gu')

/** The whole words in the first `limit` UTF-16 units of a normalized text. */
const clip = (text: string, limit: number) =>
  text.length <= limit ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', limit)))

const normaliseUpTo = (text: string, limit: number) => clip(normaliseText(text.slice(0, limit), limit), limit)

/** Separates fields of the searched text, so that no phrase spans two of them. */
export const fieldBoundary = ' \n '

/** The single characters of a normalized text that are otherwise indexed only in pairs: a query may be one of them. */
function singleCharacters(...texts: string[]): string {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [character] of text.matchAll(unspacedCharacter)) found.add(character)
  }
  return [...found].join(' ')
}

/** The words of the first `limit` UTF-16 units of a field, without repetitions, which would improve the rank. */
function normaliseOnce(text: string, limit: number): string {
  const parts = withoutRepeatedSentences(text.slice(0, limit)).map((part) => normaliseText(part, limit))
  return clip(
    parts
      .filter((part) => part !== '')
      .flatMap(withoutRepeatedRuns)
      .join(fieldBoundary),
    limit,
  )
}

/** The indexed text: title (several times), tags, author and handle, and what fits of the description. */
export function searchTextOf(request: SearchedRequest): string {
  const title = normaliseOnce(request.title, 1_000)
  const tags = normaliseUpTo(request.tags.join(' '), 4_000)
  const author = normaliseUpTo(`${request.authorName ?? ''} ${request.authorHandle ?? ''}`, 400)
  const description = normaliseOnce(request.description, searchTextLimit)
  const characters = clip(singleCharacters(title, tags, author, description), 2_000)
  const parts = [...Array<string>(titleWeight).fill(title), tags, author, characters, description]
  return clip(parts.filter((part) => part !== '').join(fieldBoundary), searchTextLimit)
}
