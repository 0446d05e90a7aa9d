/** The address of a Discourse forum, and which part of it holds wishes. */
export interface Forum {
  /** Without the path of a category or tag. */
  baseUrl: string
  /** Host and, for a forum in a subfolder, path: its name in messages and budgets, and the prefix that makes its ids unique. */
  name: string
  /** The part of its query that narrows a search to wishes. */
  filter: string
}

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
  const baseUrl = `${url.origin}${path}`
  const name = `${url.host}${path}`
  const isCategory = kind === 'c'
  return { baseUrl, name, filter: (isCategory ? categoryFilter(segments) : tagFilter(segments)) ?? wishWords }
}

/** Every version supports `#parent:child`; a category without a readable slug has its number only. */
function categoryFilter(segments: string[]): string | null {
  const slugs = segments.filter((segment) => !/^(\d+|-)$/.test(segment)).slice(-2)
  if (slugs.length > 0) return `#${slugs.join(':')}`
  const id = segments.findLast((segment) => /^\d+$/.test(segment))
  return id === undefined ? null : `category:${id}`
}

function tagFilter([tag]: string[]): string | null {
  return tag === undefined ? null : `tags:${tag}`
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
 * them first), `#x` and `@x` are filters, and a single l, t or f orders or narrows. Invisible characters are dropped first.
 */
export function discourseWords(words: string[]): string[] {
  return words
    .map((word) => word.replace(/\p{Cf}/gu, '').replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}.]+/u, ''))
    .filter((word) => word !== '' && !/^[ltf]$/i.test(word.replace(/[^\p{L}\p{N}]/gu, '')))
}
