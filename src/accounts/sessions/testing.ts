import { type Answer, createTestClient } from '../../../test/client.ts'

/** A browser for tests of sessions: it stores the cookie and the CSRF token. */
export interface TestBrowser {
  /** The cookie `ww_session` as it was last set; null when there is none. */
  token(): string | null
  csrfToken(): string | null
  signIn(body: { apiKey: string } | { link: string }): Promise<Answer>
  /** A call with the cookie; with the CSRF token where it changes something, unless `csrfToken` overrides it. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; csrfToken?: string | null },
  ): Promise<Answer>
}

export function openBrowser(url: () => string): TestBrowser {
  const client = createTestClient(url, null)
  let token: string | null = null
  let csrf: string | null = null
  const call: TestBrowser['call'] = async (method, path, { body, headers = {}, csrfToken = csrf } = {}) => {
    const answer = await client.send(method, path, {
      headers: {
        ...(token === null ? {} : { cookie: `ww_session=${token}` }),
        ...(method === 'GET' || csrfToken === null ? {} : { 'x-csrf-token': csrfToken }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = /^ww_session=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '')
    if (set) token = set[1] || null
    return answer
  }
  return {
    token: () => token,
    csrfToken: () => csrf,
    signIn: async (body) => {
      const answer = await call('POST', '/api/session', { body })
      if (answer.status === 200) csrf = answer.body.data.csrfToken
      return answer
    },
    call,
  }
}
