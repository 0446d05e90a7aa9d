import { withoutUnseen } from '../../../runtime/text/unseen.ts'

/** A Discourse forum, and the part of it with wishes. */
export interface Forum {
  /** Without the category's or tag's path. */
  baseUrl: string
  /** Host, plus the path of a forum in a subfolder: the name in messages and budgets, and the prefix of its ids. */
  name: string
  /** Query part that narrows a search to wishes. */
  filter: string
  /** The category (number or slug) or tag in the address; null for the whole forum. */
  part: ForumPart | null
}

export type ForumPart = { kind: 'category'; id: string | null; slugs: string[] } | { kind: 'tag'; tag: string }

/**
 * Added unless the address names a category. Discourse indexes category and tag names with each post (lib/search.rb,
 * weights B and C), so this finds a "Feature Requests" category and a `feature-request` tag.
 */
const wishWords = 'feature request'

/**
 * Parses an address of DISCOURSE_URLS: a category (`/c/feature-requests/13`, `/c/parent/ideas/5`), a tag
 * (`/tag/feature-request`), or else the whole forum. It must be configured, because an unknown category or tag is no
 * error: it matches nothing, or texts that contain it (lib/search.rb, `advanced_filter`).
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

/** A trailing `/l/votes` or similar is a view of the category. */
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

/** Prefers the category number: slugs repeat under other parents. `#parent:child` works in every version. */
function filterOf(part: ForumPart): string {
  if (part.kind === 'tag') return `tags:${part.tag}`
  return part.id === null ? `#${part.slugs.join(':')}` : `category:${part.id}`
}

/** Whether Discourse accepts it in a category or tag filter. */
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
 * Quoting does not stop filters (`process_advanced_search!` strips quotes first): `#x` and `@x` filter, and a lone l, t
 * or f sorts or narrows. Invisible characters are removed first.
 */
export function discourseWords(words: string[]): string[] {
  return words
    .map((word) => withoutUnseen(word).replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}.]+/u, ''))
    .filter((word) => word !== '' && !/^[ltf]$/i.test(word.replace(/[^\p{L}\p{N}]/gu, '')))
}
