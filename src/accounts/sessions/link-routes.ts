import { Type } from 'typebox'
import type { Transaction } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { changing, closed, moment, nullable, oneOf, reading } from '../../http/schemas.ts'
import type { RouteDependencies } from '../authentication.ts'
import { makerOf } from '../made-by-key.ts'
import { personName } from './admin-routes.ts'
import { endInvitation, invitationTimeMs, linkUrl, listInvitations, makeLink, maxOpenLinks } from './links.ts'

interface LinkRouteDependencies extends RouteDependencies {
  adminKey: string
  publicUrl: () => string
}

const shared = { tags: ['Session'], security: [{ apiKey: [] }] }

const linkProperties = {
  linkId: Type.String(),
  personName: nullable(Type.String({ description: 'For whom it is; null for a link of the operator without a name' })),
  madeBy: nullable(
    Type.String({
      description: 'The `keyId` of the key that made it; null for the operator, and for a session that no key opened',
    }),
  ),
  state: oneOf(['open', 'used'], { description: '`used`: somebody signed in with it, and is signed in' }),
  createdAt: moment('When it was made; of a used one, when it was used'),
  expiresAt: moment('When it expires; of a used one, when its session ends at the latest'),
  lastUsedAt: nullable(moment('Of a used one, when its session last called, to within ten minutes')),
}

/** An account's routes for its sign-in links. */
export function registerLinkRoutes(app: App, dependencies: LinkRouteDependencies): void {
  registerList(app, dependencies)
  registerMake(app, dependencies)
  registerEnd(app, dependencies)
}

function registerList(app: App, { database, clock, authentication }: LinkRouteDependencies): void {
  app.get('/api/v1/links', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listLinks',
      summary: 'List the sign-in links of the account, and who is signed in with one',
      description: 'The oldest first. Their addresses cannot be read again.',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(pageOf(closed(linkProperties)), 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const links = (await listInvitations(database, accountId, clock.now())).map(
        ({ createdAt, expiresAt, lastUsedAt, ...link }) => ({
          ...link,
          state: lastUsedAt === null ? ('open' as const) : ('used' as const),
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
          lastUsedAt: lastUsedAt?.toISOString() ?? null,
        }),
      )
      const positionOf = ({ createdAt, linkId }: (typeof links)[number]) => `${createdAt} ${linkId}`
      return { data: pageOfShort(links, request.query, { list: 'links', positionOf }) }
    },
  })
}

function registerMake(app: App, dependencies: LinkRouteDependencies): void {
  const { clock, adminKey, authentication, idempotent, publicUrl } = dependencies
  app.post('/api/v1/links', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'createLink',
      summary: 'Make a link that signs a person in to the account, once',
      description:
        'It is valid for 24 hours. Who signs in with it may do what the key of this call may, spends its credits, and is signed out when it ' +
        `is revoked or expires. An account has at most ${maxOpenLinks} open links; one more is a 409.`,
      ...shared,
      headers: idempotencyHeaders,
      body: closed({ personName }),
      response: changing(
        closed({ ...linkProperties, url: Type.String({ description: 'Shown this once' }) }),
        'NOT_FOUND',
        ...idempotencyErrors,
      ),
    },
    handler: async (request, reply) => {
      const { accountId, keyId } = authentication.accountOf(request)
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        await makerOf(transaction, { accountId, keyId, now })
        const opener = keyId === null ? { adminKey } : { keyId }
        const asked = { accountId, opener, ...request.body, now, validForMs: invitationTimeMs }
        const link = await makeLink(transaction, asked)
        if (link === null) throw notFound('Account')
        const { linkId, personName: person, createdAt, expiresAt } = link
        const made = { linkId, personName: person, madeBy: keyId, state: 'open' as const, lastUsedAt: null }
        const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
        return { data: { ...made, ...times, url: linkUrl(publicUrl(), link) } }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

function registerEnd(app: App, { database, authentication }: LinkRouteDependencies): void {
  app.delete('/api/v1/links/:linkId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'endLink',
      summary: 'Revoke a sign-in link, and sign out who signed in with it',
      description: 'At once. What the person did stays.',
      ...shared,
      params: closed({ linkId: Type.String() }),
      response: changing(closed({ linkId: Type.String() }), 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { linkId } = request.params
      if (!isId(linkId) || !(await endInvitation(database, accountId, linkId))) throw notFound('Link')
      return { data: { linkId: linkId.toLowerCase() } }
    },
  })
}
