import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { keyScopes } from '../../database/column-types.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import type { RateLimits } from '../../http/rate-limits/rate-limits.ts'
import { closed, nullable, oneOf, reading, sending } from '../../http/schemas.ts'
import type { RouteDependencies } from '../authentication.ts'
import type { SignedIn } from '../credentials.ts'
import { shownScope } from '../keys.ts'
import { tiers } from '../plans.ts'
import { clearSessionCookie, cookieOf, refuseFromElsewhere, sessionCookie, setSessionCookie } from './cookie.ts'
import { openWithLink } from './links.ts'
import { csrfTokenOf, endSession, findSession, openSession } from './sessions.ts'

interface SessionDependencies extends Omit<RouteDependencies, 'idempotent'> {
  adminKey: string
  rateLimits: RateLimits
}

const sessionAnswer = closed({
  kind: oneOf(['account', 'operator']),
  csrfToken: Type.String({ description: 'For X-CSRF-Token, in every call of the session that is not GET or HEAD' }),
  account: nullable(
    closed({
      accountId: Type.String(),
      name: Type.String(),
      tier: oneOf(tiers, { description: 'The plan' }),
      scope: oneOf(keyScopes, {
        description: 'Of the key that opened the session, or made its link; `manage` after a link of the operator',
      }),
      personName: nullable(
        Type.String({ description: 'For whom the link was made that opened it; null where nobody said' }),
      ),
    }),
  ),
})
const shared = { tags: ['Session'], security: [{ session: [] }] }
const path = '/api/session'
const secret = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }))

const answerSession = ({ token, account }: SignedIn) => ({
  data: {
    kind: account === null ? ('operator' as const) : ('account' as const),
    csrfToken: csrfTokenOf(token),
    account: account && {
      accountId: account.accountId,
      name: account.name,
      tier: account.tier,
      scope: shownScope(account.scope),
      personName: account.personName,
    },
  },
})

const notSignedIn = () => new ServiceError('UNAUTHORIZED', 'There is no session. Sign in with an API key or a link.')
const wrongLink = () =>
  new ServiceError('UNAUTHORIZED', 'This sign-in link was used, has expired or was revoked. Request another one.')

/** Signs in and out of the dashboard, by cookie. */
export function registerSessionRoutes(app: App, dependencies: SessionDependencies): void {
  registerSignIn(app, dependencies)
  registerSignedIn(app, dependencies)
}

const signIn = closed(
  { apiKey: secret('An API key, or the admin key'), link: secret('The part of a sign-in link after #') },
  { minProperties: 1, maxProperties: 1 },
)

/** Opens a session. @returns its token; null if the key or link opens nothing */
async function openBy(
  credentials: Static<typeof signIn>,
  { database, clock, adminKey, rateLimits, authentication }: SessionDependencies,
  reply: FastifyReply,
): Promise<string | null> {
  const now = clock.now()
  if (credentials.link !== undefined) return openWithLink(database, credentials.link, { adminKey, now })
  const opener = await authentication.openerOf(credentials.apiKey ?? '')
  if (opener?.account) await rateLimits.countCall(opener.account, 'default', reply)
  // It could not read anything on the page.
  if (opener?.account?.scope === 'feedback') return null
  return opener && openSession(database, opener, now)
}

function registerSignIn(app: App, dependencies: SessionDependencies): void {
  const { database, clock, adminKey, authentication } = dependencies

  app.post(path, {
    onRequest: async (request, reply) => {
      refuseFromElsewhere(request)
      reply.header('cache-control', 'no-store')
    },
    schema: {
      operationId: 'signIn',
      summary: 'Sign in with an API key, the admin key or a sign-in link',
      description:
        `Sets the cookie \`${sessionCookie}\`. With it, calls of the account (for the admin key: of the operator) need no ` +
        'Authorization header. The session ends after 30 days without use, after 90 days, and at once when its key is ' +
        'revoked, its account is deleted or the admin key that opened it is changed. This call uses a link up.',
      ...shared,
      security: [],
      body: signIn,
      response: sending(sessionAnswer),
    },
    handler: async (request, reply) => {
      const { ip: address, body } = request
      const token = await openBy(body, dependencies, reply)
      const session = token === null ? null : await findSession(database, token, { adminKey, now: clock.now() })
      if (token === null || session === null) {
        return authentication.refuse(address, reply, body.link === undefined ? undefined : wrongLink())
      }
      // Signing in again, perhaps to another account, must not leave the first session open.
      const previous = cookieOf(request)
      if (previous !== null) await endSession(database, previous)
      setSessionCookie(request, reply, token)
      return answerSession({ token, account: session.account })
    },
  })
}

function registerSignedIn(app: App, { database, rateLimits, authentication }: SessionDependencies): void {
  app.get(path, {
    schema: {
      operationId: 'readSession',
      summary: 'Read who is signed in',
      ...shared,
      response: reading(sessionAnswer),
    },
    handler: async (request, reply) => {
      const { ip: address } = request
      reply.header('cache-control', 'no-store')
      const session = await authentication.sessionOf(request)
      if (session !== null) {
        if (session.account) await rateLimits.countCall(session.account, 'polls', reply)
        return answerSession(session)
      }
      // A first visit has no cookie, which does not count as a wrong key.
      if (cookieOf(request) === null) throw notSignedIn()
      // Keeps the cookie: this answer may arrive after a sign-in's, whose cookie it would clear.
      return authentication.refuse(address, reply, notSignedIn())
    },
  })

  app.delete(path, {
    schema: {
      operationId: 'signOut',
      summary: 'Sign out',
      description: 'Ends the session and clears the cookie.',
      ...shared,
      response: reading(closed({})),
    },
    handler: async (request, reply) => {
      const { ip: address } = request
      const session = await authentication.sessionOf(request)
      clearSessionCookie(request, reply)
      if (session === null) return authentication.refuse(address, reply, notSignedIn())
      await endSession(database, session.token)
      return { data: {} }
    },
  })
}
