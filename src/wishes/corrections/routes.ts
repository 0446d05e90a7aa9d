import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { maxCorrections } from '../../accounts/accounts.ts'
import { type Audience, audiencesOf, type RouteDependencies } from '../../accounts/authentication.ts'
import type { Transaction } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { closed, reading, sending } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { type Corrector, mergeWishes, partWishes, splitWish } from './corrections.ts'
import { listWishCorrections } from './list.ts'
import { correctionPath, newWishCorrection, undoAnswer, wishCorrection } from './schemas.ts'
import { undoWishCorrection } from './undo.ts'

interface CorrectionAudience extends Audience {
  limit: string
  tags: string[]
}

/** Registers the routes that record which requests ask for the same, per account and for the operator. */
export function registerWishCorrectionRoutes(app: App, dependencies: RouteDependencies): void {
  const { authentication } = dependencies
  const maximum = maxCorrections.toLocaleString('en-US')
  const { account, operator } = audiencesOf(authentication)
  const audiences: CorrectionAudience[] = [
    {
      ...account,
      limit: ` An account can have ${maximum} corrections, those of requests included; one more is a 409.`,
      tags: ['Wishes'],
    },
    {
      ...operator,
      limit: ' What an account says itself takes precedence for that account.',
      tags: ['Admin'],
    },
  ]
  for (const audience of audiences) {
    registerCorrect(app, dependencies, audience)
    registerUndo(app, dependencies, audience)
    registerList(app, dependencies, audience)
  }
}

const correctorOf = (
  { authentication, clock }: RouteDependencies,
  { accountIdOf }: CorrectionAudience,
  request: FastifyRequest,
): Corrector => ({
  accountId: accountIdOf(request),
  madeBy: authentication.originOf(request),
  now: clock.now(),
})

/** @throws ServiceError INVALID_REQUEST for a field of another kind. */
function readField<Name extends 'otherWishId' | 'requestIds'>(body: Static<typeof newWishCorrection>, name: Name) {
  const unused = name === 'requestIds' ? 'otherWishId' : 'requestIds'
  if (body[unused] !== undefined) throw invalidField(unused, `is not for kind=${body.kind}`)
  const value = body[name]
  if (value === undefined) throw invalidField(name, `is required with kind=${body.kind}`)
  return value as NonNullable<(typeof body)[Name]>
}

/** Makes the correction of a body. @returns its id. @throws ServiceError */
async function correctWishes(
  transaction: Transaction,
  corrector: Corrector,
  body: Static<typeof newWishCorrection>,
): Promise<string> {
  const { kind, wishId } = body
  if (kind === 'split') {
    const requestIds = readField(body, 'requestIds')
    return (await splitWish(transaction, { ...corrector, wishId, requestIds })).correctionId
  }
  const otherWishId = readField(body, 'otherWishId')
  return kind === 'merge'
    ? mergeWishes(transaction, { ...corrector, fromWishId: otherWishId, toWishId: wishId })
    : partWishes(transaction, { ...corrector, kind, wishIds: [wishId, otherWishId] })
}

function registerCorrect(app: App, dependencies: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, idSuffix, view, limit, tags, security } = audience
  app.post(`${prefix}/corrections/wishes`, {
    onRequest: onChange,
    schema: {
      operationId: `correctWishes${idSuffix}`,
      summary: `Say that two wishes are the same, or are not, or take requests out of one, ${view}`,
      description: `Free. It also holds after its requests have expired and are collected again, until it is undone.${limit}`,
      tags,
      security,
      headers: idempotencyHeaders,
      body: newWishCorrection,
      response: sending(wishCorrection, ...changeErrors, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const corrector = correctorOf(dependencies, audience, request)
      const { accountId } = corrector
      return dependencies.idempotent(request, reply, async (transaction) => {
        const correctionId = await correctWishes(transaction, corrector, request.body)
        const { results } = await listWishCorrections(transaction, { accountId, correctionId, limit: 1 })
        return { data: results[0]! }
      })
    },
  })
}

function registerUndo(app: App, dependencies: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, idSuffix, view, tags, security } = audience
  app.delete(`${prefix}/corrections/wishes/:correctionId`, {
    onRequest: onChange,
    schema: {
      operationId: `undoWishCorrection${idSuffix}`,
      summary: `Undo a merge, a split or an answer to a suggestion ${view}`,
      description: 'Later corrections stay. A second time changes nothing.',
      tags,
      security,
      params: correctionPath,
      response: sending(undoAnswer, ...changeErrors, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { correctionId } = request.params
      const corrector = correctorOf(dependencies, audience, request)
      const isKnown = await dependencies.database
        .transaction()
        .execute((transaction) => undoWishCorrection(transaction, correctionId, corrector))
      if (!isKnown) throw notFound('Correction')
      return { data: { correctionId: correctionId.toLowerCase() } }
    },
  })
}

function registerList(app: App, { database }: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, view, tags, security } = audience
  app.get(`${prefix}/corrections/wishes`, {
    onRequest,
    schema: {
      operationId: `listWishCorrections${idSuffix}`,
      summary: `List merges, splits and answers to suggestions ${view}, the last made first`,
      description:
        'The latest 1,000 that were undone are in the list, too. `request` is the most voted one of the moved requests; null when none ' +
        'was moved or is stored now, or the correction was undone.',
      tags,
      security,
      querystring: closed({
        wishId: Type.Optional(Type.String({ maxLength: 100, description: 'Only what holds now of this wish' })),
        ...pageParameters,
      }),
      response: reading(pageOf(wishCorrection)),
    },
    handler: async (request) => {
      return { data: await listWishCorrections(database, { accountId: accountIdOf(request), ...request.query }) }
    },
  })
}
