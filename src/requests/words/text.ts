import { normaliseText, unspacedCharacterPattern } from '../../runtime/text/normalise.ts'

/** A sentence ends at a mark before a space, or with its line. In scripts without spaces the mark suffices. */
const sentence = /[^\n]*?(?:[.!?…](?=\s|$)|[。！？]|\n|$)/gu

/** Upper case within a word separates the parts of a name, so it makes a difference. */
const innerUpperCase = /[\p{L}\p{N}]\p{Lu}/u

/** A sentence in the form in which two are the same. Marks within it make a difference, because C, C++ and C# are three words. */
function formOf(text: string): string {
  const form = text.replace(/\s+/gu, ' ').replace(/^[\s*>•–-]+|(?<![\s.!?…。！？,;:])[\s.!?…。！？,;:]+$/gu, '')
  return innerUpperCase.test(form) ? form : form.toLowerCase()
}

/**
 * The parts of a text that remain when each sentence is there once. Where two parts meet, something was left out, so no phrase may
 * reach from one into the next. Takes time linear in the length of the text.
 */
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

/** A longer sentence that people repeat has punctuation. */
const maxPeriod = 40
/** Fewer repeated words are language: "very, very", "no, no, no". */
const minRun = 6

/** How many words from `position` on are whole copies of the `period` words before it. */
function copiedFrom(words: readonly string[], position: number, period: number): number {
  let end = position
  while (end < words.length && words[end] === words[end - period]) end++
  const copied = Math.floor((end - position) / period) * period
  return period + copied >= minRun ? copied : 0
}

/** The parts of a normalised text that remain when a run of words which follows itself, without punctuation, is there once. */
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

/** The fields of a request that a search covers. */
export interface SearchedRequest {
  title: string
  description: string
  tags: readonly string[]
  authorName: string | null
  authorHandle: string | null
}

/** The indexed text of a request has at most this many UTF-16 units; the end of a longer description is not found. */
export const searchTextLimit = 20_000
/** A word in the title counts like this many in the description. */
const titleWeight = 4

const unspacedCharacter = new RegExp(unspacedCharacterPattern, 'gu')

/** Whole words of a normalised text, at most `limit` UTF-16 units of them. */
const clip = (text: string, limit: number) =>
  text.length <= limit ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', limit)))

const normaliseUpTo = (text: string, limit: number) => clip(normaliseText(text.slice(0, limit), limit), limit)

/** Between the fields of a searched text, so that no phrase reaches from one into the next. */
export const fieldBoundary = ' \n '

/** The single characters of a normalised text that are indexed only in pairs: a query may be one of them. */
function singleCharacters(...texts: string[]): string {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [character] of text.matchAll(unspacedCharacter)) found.add(character)
  }
  return [...found].join(' ')
}

/** The words of a field, at most `limit` UTF-16 units of it; what it repeats is there once, so that nothing is found better for it. */
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

/**
 * The text that the search index covers: the title several times, the tags, the author's name and handle, and as much of
 * the description as the limit leaves room for. Of title and description each sentence is there once.
 */
export function searchTextOf(request: SearchedRequest): string {
  const title = normaliseOnce(request.title, 1_000)
  const tags = normaliseUpTo(request.tags.join(' '), 4_000)
  const author = normaliseUpTo(`${request.authorName ?? ''} ${request.authorHandle ?? ''}`, 400)
  const description = normaliseOnce(request.description, searchTextLimit)
  const characters = clip(singleCharacters(title, tags, author, description), 2_000)
  const parts = [...Array<string>(titleWeight).fill(title), tags, author, characters, description]
  return clip(parts.filter((part) => part !== '').join(fieldBoundary), searchTextLimit)
}
