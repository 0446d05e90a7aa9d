import { withoutUnseen } from '../../../runtime/text/unseen.ts'

/** The address of a Discourse forum, and which part of it holds wishes. */
export interface Forum {
  /** Without the path of a category or tag. */
  baseUrl: string
  /** Host and, for a forum in a subfolder, path: its name in messages and budgets, and the prefix that makes its ids unique. */
  name: string
  /** The part of its query that narrows a search to wishes. */
  filter: string
  /** What the address names: a category by number or slug, a tag; null for the whole forum. */
  part: ForumPart | null
}

export type ForumPart = { kind: 'category'; id: string | null; slugs: string[] } | { kind: 'tag'; tag: string }

/**
 * A plain address does not say which category of a forum holds its wishes, so the query has these words beside the topic.
 * Discourse indexes the names of category and tags with each post (lib/search.rb, weights B and C), so they match the topics
 * of a category "Feature Requests" and of a tag `feature-request`, and those with the words in their text.
 */
const wishWords = 'feature request'

/**
 * Reads an address of DISCOURSE_URLS. The address of a category (`/c/feature-requests/13`, `/c/parent/ideas/5`) or tag
 * (`/tag/feature-request`), as the browser shows it, narrows the search to that; any other is the whole forum.
 *
 * No filter works in all forums: an unknown `category:` or `tags:` matches nothing, an unknown `#slug` only texts that
 * contain it (lib/search.rb, `advanced_filter`), each time without an error. So the operator configures it.
 */
export function readForum(address: string): Forum {
  const url = new URL(address)
  const [, folder = url.pathname, kind, rest = ''] = /^(.*?)\/(c|tag)\/(.+)$/.exec(url.pathname) ?? []
  const path = folder.replace(/\/+$/, '')
  const segments = rest.split('/').map(decoded).filter(isFilterWord)
  const part = kind === 'c' ? categoryPart(segments) : tagPart(segments)
  const baseUrl = `${url.origin}${path}`
  return { baseUrl, name: `${url.host}${path}`, filter: part ? filterOf(part) : wishWords, part }
}

/** `/l/votes` and the like at the end of an address are views of the category. */
function categoryPart(segments: string[]): ForumPart | null {
  const view = segments.indexOf('l', 1)
  const named = view < 0 ? segments : segments.slice(0, view)
  const slugs = named.filter((segment) => !/^(\d+|-)$/.test(segment)).slice(-2)
  const id = named.findLast((segment) => /^\d+$/.test(segment)) ?? null
  return slugs.length === 0 && id === null ? null : { kind: 'category', id, slugs }
}

function tagPart([tag]: string[]): ForumPart | null {
  return tag === undefined ? null : { kind: 'tag', tag }
}

/** The number of a category is surest: slugs repeat below other parents. Without it, every version supports `#parent:child`. */
function filterOf(part: ForumPart): string {
  if (part.kind === 'tag') return `tags:${part.tag}`
  return part.id === null ? `#${part.slugs.join(':')}` : `category:${part.id}`
}

/** Whether Discourse accepts it as the name of a category or tag in a filter. */
function isFilterWord(segment: string): boolean {
  return /^[\p{L}\p{M}\p{N}_-]+$/u.test(segment)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

/**
 * The words of a topic for Discourse. Quotes do not protect words from being filters (`process_advanced_search!` removes
 * them first), `#x` and `@x` are filters, and a single l, t or f orders or narrows. Characters that are not seen are dropped first.
 */
export function discourseWords(words: string[]): string[] {
  return words
    .map((word) => withoutUnseen(word).replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}.]+/u, ''))
    .filter((word) => word !== '' && !/^[ltf]$/i.test(word.replace(/[^\p{L}\p{N}]/gu, '')))
}
