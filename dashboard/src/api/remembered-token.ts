// The CSRF token of the last session of this browser, so that the first search of a visit does not wait for `GET /api/session`.
// The token opens nothing by itself: it is an HMAC of the session, and the session is a cookie that no script reads. With another
// session the service refuses it (src/accounts/sessions/README.md).

const key = 'wishwell-csrf-token'

/** @returns null when there is none, and where the browser stores nothing. */
export function rememberedToken(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** @param token of the present session; null forgets it, as signing out does. */
export function rememberToken(token: string | null): void {
  try {
    if (token === null) localStorage.removeItem(key)
    else localStorage.setItem(key, token)
  } catch {
    // A browser that stores nothing only searches a round trip later.
  }
}
