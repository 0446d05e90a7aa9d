import { hash } from 'node:crypto'
import type { IdentityKind, PlatformName } from '../database/column-types.ts'

/** One way to recognize a request, in comparable form. */
export interface Identity {
  kind: IdentityKind
  value: string
}

export interface IdentifiedRequest {
  sourceId: string
  sourceUrl: string
  authorName: string | null
  authorHandle: string | null
  authorProfileUrl: string | null
}

interface ComparableUrl {
  page: string
  /** `?` and the sorted parameters; empty if none. */
  query: string
}

/** Drops from a URL what makes no other page, e.g. `www.` or fragment; path and parameters keep their case. */
function comparableUrl(text: string): ComparableUrl | null {
  const trimmed = text.trim()
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  url.searchParams.sort()
  const page = url.host.replace(/^www\./, '').replace(/:(80|443)$/, '') + url.pathname.replace(/\/+$/, '')
  const query = url.searchParams.toString()
  return { page, query: query === '' ? '' : `?${query}` }
}

/** Whether a text is a URL that `identitiesOfUrl` can compare. */
export const isComparableUrl = (text: string): boolean => comparableUrl(text) !== null

const fold = (text: string) => text.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase()
const foldHandle = (text: string) => fold(text.trim().replace(/^@/u, ''))

/** Drops empty values, which identify nothing. */
const present = (identities: readonly Identity[]) => identities.filter(({ value }) => value !== '')

/** The identities by which the store and a purge compare a request. */
export function identitiesOf(request: IdentifiedRequest): Identity[] {
  const url = comparableUrl(request.sourceUrl)
  const profile = comparableUrl(request.authorProfileUrl ?? '')
  return present([
    { kind: 'id', value: request.sourceId },
    { kind: 'url', value: url ? url.page + url.query : '' },
    { kind: 'handle', value: foldHandle(request.authorHandle ?? '') },
    { kind: 'name', value: fold(request.authorName ?? '') },
    { kind: 'profile', value: profile ? profile.page + profile.query : '' },
  ])
}

const identitiesOfAddress = (kind: 'url' | 'profile', text: string): Identity[] => {
  const url = comparableUrl(text)
  if (url === null) return []
  const { page, query } = url
  // Shared links carry extra parameters, so they also match a page stored without any.
  return query === '' ? [{ kind, value: page }] : [page + query, page].map((value) => ({ kind, value }))
}

/** The identities of a URL; empty if it is none. */
export const identitiesOfUrl = (url: string): Identity[] => identitiesOfAddress('url', url)

/** What a named author may be: a URL is a profile, `@ada` a handle, anything else a handle or a name. */
export function identitiesOfAuthor(author: string): Identity[] {
  if (isComparableUrl(author)) return identitiesOfAddress('profile', author)
  const handle: Identity = { kind: 'handle', value: foldHandle(author) }
  return present(author.trim().startsWith('@') ? [handle] : [handle, { kind: 'name', value: fold(author) }])
}

/** The hash of an identity, which is all that is stored of a suppressed one. NUL occurs in no stored text. */
export const hashIdentity = (platform: PlatformName, { kind, value }: Identity): string =>
  hash('sha256', `${platform}\0${kind}\0${value}`)
