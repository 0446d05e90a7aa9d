import type { JsonRequest } from '../../client/messages.ts'
import { BoardError } from './paths.ts'

export interface BoardRequest {
  url: string
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: object
}

/** What a request must say about the page. */
interface PagedBy {
  by: 'none' | 'page' | 'offset' | 'cursor'
  size?: number
}

/** Values of a request's placeholders. */
export interface Places {
  topic: string
  page: number
  offset: number
  limit: number
  cursor: string
  secret: string
}

const place = /\{(topic|page|offset|limit|cursor|secret)\}/g
const onlyPlace = /^\{(topic|page|offset|limit|cursor|secret)\}$/
/** Headers set by the connection, not by a description. */
const ownHeaders =
  /^(?:host|content-length|content-type|transfer-encoding|connection|accept-encoding|expect|te|upgrade|trailer)$|^(?:proxy|sec)-/i

const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsOf)
      : []

/**
 * Checks placeholders: none before the path, the secret only in headers and body, one that selects the page.
 * @returns the address with empty placeholders
 * @throws BoardError
 */
export function checkTemplates(
  { url, headers = {}, body, method = 'GET' }: Partial<BoardRequest> & Pick<BoardRequest, 'url'>,
  paging: PagedBy,
  secret: string | undefined,
): URL {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]+)(.*)$/i.exec(url) ?? []
  if (!URL.canParse(origin) || origin.includes('{'))
    throw new BoardError('request.url: must be a web address, https://…, without a place in its host.')
  if (origin.includes('@')) throw new BoardError('request.url: has a name or a password; write a header with {secret}.')
  if (rest.includes('{secret}'))
    throw new BoardError('request.url: addresses are logged; write {secret} in a header or the body.')
  const wrong = Object.keys(headers).find((name) => ownHeaders.test(name))
  if (wrong !== undefined) throw new BoardError(`request.headers: ${wrong} cannot be set.`)
  if (Object.values(headers).some((value) => !/^[\x20-\x7e]+$/.test(value)))
    throw new BoardError('request.headers: only visible ASCII.')
  if (body !== undefined && method !== 'POST') throw new BoardError('request.body: only with the method POST.')
  const texts = [...Object.values(headers), ...textsOf(body)]
  if (secret === undefined && texts.some((text) => text.includes('{secret}')))
    throw new BoardError('request: {secret} stands for nothing: write it into the file .secret beside the description.')
  const all = [rest, ...texts].join('\n')
  const needed = { none: null, page: '{page}', offset: '{offset}', cursor: '{cursor}' }[paging.by]
  if (needed !== null && !all.includes(needed))
    throw new BoardError(`paging: by ${paging.by} needs ${needed} in the request.`)
  if (all.includes('{limit}') && paging.size === undefined) throw new BoardError('paging: {limit} needs its size.')
  const filled = new URL(url.replace(place, 'x'))
  if (filled.origin.toLowerCase() !== new URL(origin).origin) throw new BoardError('request.url: is no web address.')
  return filled
}

const fill = (text: string, places: Places, write: (value: string) => string = (value) => value) =>
  text.replace(place, (_, name: keyof Places) => write(String(places[name])))

/** A text that is a single placeholder becomes its value: `"skip": "{offset}"` is a number. */
function fillBody(value: unknown, places: Places): unknown {
  if (typeof value === 'string') {
    const only = onlyPlace.exec(value)?.[1] as keyof Places | undefined
    if (only === undefined) return fill(value, places)
    return only === 'cursor' && places.cursor === '' ? undefined : places[only]
  }
  if (Array.isArray(value)) return value.map((one) => fillBody(one, places))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillBody(one, places)]))
}

/** The first page has no cursor, so its parameter is dropped. */
function fillUrl(url: string, places: Places): URL {
  const filled = new URL(fill(url, places, encodeURIComponent))
  if (places.cursor === '')
    for (const [name, value] of new URL(url).searchParams) if (value === '{cursor}') filled.searchParams.delete(name)
  return filled
}

/** Builds the request for a page, encoding each value for its place. */
export function fillRequest(
  { url, method, headers, body }: BoardRequest,
  places: Places,
): Pick<JsonRequest, 'url' | 'body' | 'headers'> {
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, places)]))
  return {
    url: fillUrl(url, places),
    headers: method === 'POST' ? { 'content-type': 'application/json', ...filled } : filled,
    ...(method === 'POST' ? { body: JSON.stringify(fillBody(body ?? {}, places)) } : {}),
  }
}
