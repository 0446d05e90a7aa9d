import { type Static, Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { madeByFields } from '../../accounts/made-by-key.ts'
import { personName } from '../../accounts/sessions/people.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { isId } from '../../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { changing, closed, defaulted, moment, nullable, reading, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { dayOf } from '../../requests/timeline.ts'
import { viewOf } from '../../requests/view.ts'
import { readWishes, withoutOwn } from '../../wishes/list/summary.ts'
import { readTopic } from '../../wishes/topics/topics.ts'
import { readBrief } from '../briefs/briefs.ts'
import { checkView, givenView, listView, maxWishes } from '../pages/view.ts'
import {
  createShare,
  defaultDays,
  listShares,
  maxDays,
  maxShares,
  revokeShare,
  type Share,
  shareUrl,
} from './shares.ts'

const newShare = closed(
  {
    wishId: Type.Optional(Type.String({ maxLength: 100, description: 'A wish that the account sees' })),
    topic: Type.Optional(trimmedText(2, 100, 'A topic that has requests')),
    view: Type.Optional({ ...listView, description: `A list, of which the page has at most ${maxWishes} wishes` }),
    briefId: Type.Optional(Type.String({ maxLength: 100, description: 'A brief of the account' })),
    title: Type.Optional(
      trimmedText(
        1,
        100,
        'What the page is called; it names nobody otherwise. It is a text of the account: a purge does not change it',
      ),
    ),
    withNotes: defaulted(Type.Boolean({ default: false, description: 'Whether it shows the notes of the account' })),
    expiresInDays: defaulted(Type.Integer({ minimum: 1, maximum: maxDays, default: defaultDays })),
  },
  { description: 'Exactly one of `wishId`, `topic`, `view` and `briefId`' },
)

const shareProperties = {
  shareId: Type.String(),
  title: nullable(Type.String()),
  wishId: nullable(Type.String()),
  wishTitle: nullable(Type.String({ description: 'Of a wish: its title now; null where the account sees it no more' })),
  topic: nullable(Type.String()),
  view: nullable(givenView),
  briefId: nullable(Type.String()),
  withNotes: Type.Boolean(),
  hint: Type.String({ description: 'The first characters of the token in its address' }),
  createdAt: moment('When it was made'),
  madeBy: madeByFields.madeBy,
  personName,
  expiresAt: moment('When it ends: after `expiresInDays`, or with the key that made it'),
  lastOpenedOn: nullable(Type.String({ format: 'date', description: 'The UTC day; null when never' })),
}

const shared = { tags: ['Shares'], security: [{ apiKey: [] }] }

export interface ShareRouteDependencies extends RouteDependencies {
  publicUrl: () => string
}

/** Registers an account's routes for shares. */
export function registerShareRoutes(app: App, dependencies: ShareRouteDependencies): void {
  registerList(app, dependencies)
  registerCreate(app, dependencies)
  registerRevoke(app, dependencies)
}

/** The current titles of wishes. They are platforms' texts, so none is stored with a share. */
async function readTitles(executor: Executor, shares: readonly Share[], account: Account, now: Date) {
  const ids = shares.flatMap(({ wish_id: wishId }) => wishId ?? [])
  const wishes = await readWishes(executor, [...new Set(ids)], { view: viewOf(account), now })
  return new Map(wishes.map(({ wishId, title }) => [wishId, title]))
}

const describeShare = (share: Share, titles: ReadonlyMap<string, string>) => ({
  shareId: share.id,
  title: share.title,
  wishId: share.wish_id,
  wishTitle: titles.get(share.wish_id ?? '') ?? null,
  topic: share.topic,
  view: share.view,
  briefId: share.brief_id,
  withNotes: share.with_notes,
  hint: share.hint,
  createdAt: share.created_at.toISOString(),
  madeBy: share.made_by,
  personName: share.person_name,
  expiresAt: share.expires_at.toISOString(),
  lastOpenedOn: share.last_opened_at && dayOf(share.last_opened_at),
})

/** @throws ServiceError INVALID_REQUEST unless one readable subject is given; NOT_FOUND if invisible to the account. */
async function checkShown(
  executor: Executor,
  { wishId, topic, view, briefId }: Static<typeof newShare>,
  account: Account,
  now: Date,
) {
  const given = [wishId, topic, view, briefId].filter((one) => one !== undefined)
  if (given.length !== 1) throw invalidField('body', 'must have exactly one of wishId, topic, view and briefId')
  const seen = { view: viewOf(account), now }
  if (view !== undefined) checkView(view, account)
  if (topic !== undefined && (await readTopic(executor, { topic, ...seen })) === null) throw notFound('Topic')
  if (briefId !== undefined && (await readBrief(executor, account.accountId, briefId)) === null) throw notFound('Brief')
  if (wishId === undefined) return
  const wishes = isId(wishId) ? await readWishes(executor, [wishId.toLowerCase()], seen) : []
  if (wishes.length === 0) throw notFound('Wish')
  if (withoutOwn(wishes).length === 0) throw invalidField('wishId', 'has only what was imported, which no page shows')
}

function registerCreate(app: App, { clock, authentication, idempotent, publicUrl }: ShareRouteDependencies): void {
  app.post('/api/v1/shares', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'createShare',
      summary: 'Share a wish, a topic, a list of wishes or a brief by its address, to read without a key',
      description:
        'Free. Who has the address can read the page until it expires or is revoked, or the key that made it expires. It shows what the account sees ' +
        `now, its marks, and with \`withNotes\` its notes; a brief as it was made. An account has at most ${maxShares} shares; one more is a 409.`,
      ...shared,
      headers: idempotencyHeaders,
      body: newShare,
      response: changing(
        closed({ ...shareProperties, url: Type.String({ description: 'Shown this once' }) }),
        'NOT_FOUND',
        ...idempotencyErrors,
      ),
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const { accountId, keyId, personName: person } = account
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        await checkShown(transaction, request.body, account, now)
        const wishId = request.body.wishId?.toLowerCase()
        const briefId = request.body.briefId?.toLowerCase()
        const made = await createShare(transaction, {
          ...request.body,
          wishId,
          briefId,
          accountId,
          keyId,
          personName: person,
          now,
        })
        const titles = await readTitles(transaction, [made.share], account, now)
        return { data: { ...describeShare(made.share, titles), url: shareUrl(publicUrl(), made.token) } }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

function registerList(app: App, { database, clock, authentication }: ShareRouteDependencies): void {
  app.get('/api/v1/shares', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listShares',
      summary: 'List what the account shares',
      description: 'The oldest first, without what has expired. The addresses cannot be read again.',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(pageOf(closed(shareProperties)), 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const now = clock.now()
      const shares = await listShares(database, account.accountId, now)
      const positionOf = ({ created_at: createdAt, id }: Share) => `${createdAt.toISOString()} ${id}`
      const { results, ...page } = pageOfShort(shares, request.query, { list: 'shares', positionOf })
      const titles = await readTitles(database, results, account, now)
      return { data: { results: results.map((share) => describeShare(share, titles)), ...page } }
    },
  })
}

function registerRevoke(app: App, { database, authentication }: ShareRouteDependencies): void {
  app.delete('/api/v1/shares/:shareId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'revokeShare',
      summary: 'Revoke a share, at once and for ever',
      ...shared,
      params: closed({ shareId: Type.String() }),
      response: changing(closed({ shareId: Type.String() }), 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { shareId } = request.params
      if (!isId(shareId) || !(await revokeShare(database, accountId, shareId))) throw notFound('Share')
      return { data: { shareId: shareId.toLowerCase() } }
    },
  })
}
