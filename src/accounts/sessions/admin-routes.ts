import { Type } from 'typebox'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { closed, moment, nullable, reading, sending, trimmedText } from '../../http/schemas.ts'
import { requireExisting } from '../accounts.ts'
import type { RouteDependencies } from '../authentication.ts'
import { invitationTimeMs, linkUrl, listLinks, makeLink, maxOpenLinks, revokeLinks } from './links.ts'
import { endSessionsOf } from './sessions.ts'

interface AdminSessionDependencies extends Omit<RouteDependencies, 'idempotent'> {
  adminKey: string
  publicUrl: () => string
}

const params = closed({ accountId: Type.String() })
const common = { tags: ['Admin'], security: [{ adminKey: [] }], params }
const links = '/api/admin/accounts/:accountId/links'
const linkProperties = {
  linkId: Type.String(),
  personName: nullable(Type.String({ description: 'For whom it is' })),
  createdAt: moment('When it was made'),
  expiresAt: moment('When it expires'),
}
/** For whom a link is, and the name of whoever signs in with it. */
export const personName = trimmedText(1, 100, 'For whom it is: answers name who signed in with it so')
const newLink = closed({ personName: Type.Optional(personName) })

interface ShownLink {
  linkId: string
  personName: string | null
  createdAt: Date
  expiresAt: Date
}

const describeLink = ({ linkId, personName: person, createdAt, expiresAt }: ShownLink) => ({
  linkId,
  personName: person,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

/** The operator's routes for an account's sign-in links and sessions. */
export function registerAdminSessionRoutes(app: App, dependencies: AdminSessionDependencies): void {
  registerMakeLink(app, dependencies)
  registerListLinks(app, dependencies)
  registerRevokeLinks(app, dependencies)
  registerSessions(app, dependencies)
}

function registerMakeLink(
  app: App,
  { database, clock, adminKey, authentication, publicUrl }: AdminSessionDependencies,
): void {
  app.post(links, {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'createSignInLink',
      summary: 'Make a link that signs a person in to an account, once',
      description:
        `It is valid for 24 hours. An account has at most ${maxOpenLinks} open links; one more is a 409. ` +
        'Its address begins with `PUBLIC_URL`, by default with the address that the service listens on.',
      ...common,
      body: Type.Union([newLink, Type.Null()], { description: 'It may be missing' }),
      response: sending(
        closed({ ...linkProperties, url: Type.String({ description: 'Shown this once' }) }),
        'NOT_FOUND',
        'CONFLICT',
      ),
    },
    handler: async (request, reply) => {
      const { accountId } = request.params
      const made = { opener: { adminKey }, personName: request.body?.personName ?? null, validForMs: invitationTimeMs }
      const link = isId(accountId)
        ? await database
            .transaction()
            .execute((transaction) => makeLink(transaction, { ...made, accountId, now: clock.now() }))
        : null
      if (link === null) throw notFound('Account')
      reply.header('cache-control', 'no-store')
      const url = linkUrl(publicUrl(), link)
      return { data: { ...describeLink(link), url } }
    },
  })
}

function registerListLinks(app: App, { database, clock, authentication }: AdminSessionDependencies): void {
  app.get(links, {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listSignInLinks',
      summary: 'List the unused sign-in links of an account',
      ...common,
      querystring: closed(pageParameters),
      response: reading(pageOf(closed(linkProperties)), 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId }, query }) => {
      await requireExisting(database, accountId)
      const rows = await listLinks(database, accountId, clock.now())
      const open = rows.map(describeLink)
      const positionOf = ({ createdAt, linkId }: (typeof open)[number]) => `${createdAt} ${linkId}`
      return { data: pageOfShort(open, query, { list: 'links', positionOf }) }
    },
  })
}

function registerRevokeLinks(app: App, { database, clock, authentication }: AdminSessionDependencies): void {
  app.delete(links, {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'revokeSignInLinks',
      summary: 'Revoke every open sign-in link of an account',
      ...common,
      response: reading(closed({ revoked: Type.Integer({ description: 'How many there were' }) }), 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId } }) => {
      await requireExisting(database, accountId)
      return { data: { revoked: await revokeLinks(database, accountId, clock.now()) } }
    },
  })
}

function registerSessions(app: App, { database, authentication }: AdminSessionDependencies): void {
  app.delete('/api/admin/accounts/:accountId/sessions', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'signAccountOut',
      summary: 'Sign an account out everywhere, at once',
      description: 'Its API keys and open sign-in links stay valid: revoke those too to lock the account out.',
      ...common,
      response: reading(closed({ ended: Type.Integer({ description: 'How many sessions there were' }) }), 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId } }) => {
      await requireExisting(database, accountId)
      return { data: { ended: await endSessionsOf(database, accountId) } }
    },
  })
}
