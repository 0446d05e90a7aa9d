/** Where one Discourse forum is, and which part of it holds wishes. */
export interface Forum {
  /** Without the path of a category or tag. */
  baseUrl: string
  /** Host and, for a forum in a subfolder, path: what messages and budgets call it, and what makes its ids unique. */
  name: string
  /** What narrows its search to wishes, in the words of its search box. */
  filter: string
}

/**
 * A plain address says nothing about where a forum keeps its wishes, so these words have to be found beside the topic.
 * Discourse indexes the names of category and tags with each post (lib/search.rb, weights B and C), so they find the topics
 * of a category "Feature Requests" and of a tag `feature-request`, and those that call themselves so in their text.
 */
const wishWords = 'feature request'

/**
 * What an address in DISCOURSE_URLS means. The address of a category (`/c/feature-requests/13`, `/c/parent/ideas/5`) or tag
 * (`/tag/feature-request`), as the browser shows it, narrows the search to that; any other is the whole forum.
 *
 * There is no filter for all forums: an unknown `category:` or `tags:` finds nothing at all, an unknown `#slug` only what
 * spells it (lib/search.rb, `advanced_filter`), and each time without an error. That is why the operator names it.
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

/** `#parent:child` is understood by every version; a category without a readable slug has its number only. */
function categoryFilter(segments: string[]): string | null {
  const slugs = segments.filter((segment) => !/^(\d+|-)$/.test(segment)).slice(-2)
  if (slugs.length > 0) return `#${slugs.join(':')}`
  const id = segments.findLast((segment) => /^\d+$/.test(segment))
  return id === undefined ? null : `category:${id}`
}

function tagFilter([tag]: string[]): string | null {
  return tag === undefined ? null : `tags:${tag}`
}

/** What Discourse takes for the name of a category or tag in a filter. */
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
 * The words of a topic as Discourse reads them: quotes do not protect from filters there (`process_advanced_search!` takes
 * them off first), `#x` and `@x` are filters, a lone l, t or f orders or narrows. Invisible characters are dropped before.
 */
export function discourseWords(words: string[]): string[] {
  return words
    .map((word) => word.replace(/\p{Cf}/gu, '').replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}.]+/u, ''))
    .filter((word) => word !== '' && !/^[ltf]$/i.test(word.replace(/[^\p{L}\p{N}]/gu, '')))
}
