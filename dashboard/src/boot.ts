import { rememberedToken } from './api/remembered-token.ts'
import { firstSearchBody } from './search/view.ts'
import { wishesAddress } from './shell/addresses.ts'
import './texts/locale.ts'

// The first script of the page. It is small, so that the session, the search of the address and the messages of its language are
// requested while the other scripts are loading: over a slow line that saves two round trips before the first results.

const shared: RequestInit = { credentials: 'same-origin', cache: 'no-store', redirect: 'error' }

let session: Promise<Response> | null = fetch('/api/session', { ...shared, headers: { accept: 'application/json' } })

/** The body of the search of the address; null when it has none. */
const body = location.pathname === wishesAddress ? firstSearchBody(new URLSearchParams(location.search)) : null

const postSearch = (csrfToken: string, text: string): Promise<Response> =>
  fetch('/api/v1/requests/search', {
    ...shared,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-csrf-token': csrfToken },
    body: text,
  })

/**
 * Searches in the session that was found; fails when there is none, or it is the operator's. With the token of the last visit it
 * does not wait for the session: the answer is taken only when the session has that token, else the search is sent once more.
 */
async function searchFirst(found: Promise<Response>, text: string): Promise<Response> {
  const token = rememberedToken()
  const early = token === null ? null : postSearch(token, text)
  early?.catch(() => {})
  const { data } = (await (await found).clone().json()) as { data: { kind: string; csrfToken: string } }
  if (data.kind !== 'account') throw new Error('only an account searches')
  return early !== null && data.csrfToken === token ? early : postSearch(data.csrfToken, text)
}
let search = body === null ? null : searchFirst(session, body)

// Their callers handle a failure; without a caller it must not be reported as unhandled.
session.catch(() => {})
search?.catch(() => {})

/** The answer to the first `GET /api/session`, once; null when it was taken. */
export function takeFirstSession(): Promise<Response> | null {
  const taken = session
  session = null
  return taken
}

/** The answer to the first search, once, if it has this body. Any other search discards it. */
export function takeFirstSearch(text: string): Promise<Response> | null {
  const taken = text === body ? search : null
  search = null
  return taken
}
