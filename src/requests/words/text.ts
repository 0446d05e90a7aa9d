import { normaliseText, unspacedCharacterPattern } from '../../runtime/text/normalise.ts'
import { withoutRepeatedRuns, withoutRepeatedSentences } from './repetition.ts'

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
