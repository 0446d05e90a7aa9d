import type { FastifyRequest } from 'fastify'
import { maxCorrections } from '../../accounts/accounts.ts'
import { type Audience, audiencesOf, type RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { pageParameters } from '../../http/pagination.ts'
import { bodyErrors, closed, errorResponses } from '../../http/schemas.ts'
import { type Corrector, mergeWishes, splitWish } from './corrections.ts'
import { listWishCorrections } from './list.ts'
import {
  correctionList,
  correctionPath,
  mergeAnswer,
  newMerge,
  newSplit,
  splitAnswer,
  undoAnswer,
  wishPath,
} from './schemas.ts'
import { undoWishCorrection } from './undo.ts'

/** What differs between the routes of accounts and those of the operator. */
interface CorrectionAudience extends Audience {
  limit: string
  tags: string[]
}

const undoable = 'Free. It also holds after its requests have expired and are collected again, until it is undone.'

/** The routes by which accounts, and the operator for all of them, say which requests ask for the same. */
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
    registerMerge(app, dependencies, audience)
    registerSplit(app, dependencies, audience)
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

function registerMerge(app: App, dependencies: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, idSuffix, view, limit, tags, security } = audience
  app.post(
    `${prefix}/wishes/:id/merge`,
    {
      onRequest: onChange,
      schema: {
        operationId: `mergeWishes${idSuffix}`,
        summary: `Say that two wishes are the same, ${view}`,
        description: `The wish of the path stays, with its id, and has the requests of the other one. ${undoable}${limit}`,
        tags,
        security,
        headers: idempotencyHeaders,
        params: wishPath,
        body: newMerge,
        response: {
          200: mergeAnswer,
          ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND', ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const corrector = correctorOf(dependencies, audience, request)
      const [toWishId, fromWishId] = [request.params.id, request.body.wishId]
      return dependencies.idempotent(request, reply, async (transaction) => {
        const correctionId = await mergeWishes(transaction, { ...corrector, fromWishId, toWishId })
        return { data: { correctionId, wishId: toWishId.toLowerCase() } }
      })
    },
  )
}

function registerSplit(app: App, dependencies: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, idSuffix, view, limit, tags, security } = audience
  app.post(
    `${prefix}/wishes/:id/split`,
    {
      onRequest: onChange,
      schema: {
        operationId: `splitWish${idSuffix}`,
        summary: `Take requests out of a wish, ${view}: they are not the same as the others`,
        description: `Together they are a new wish. They are never joined with the others again by themselves. ${undoable}${limit}`,
        tags,
        security,
        headers: idempotencyHeaders,
        params: wishPath,
        body: newSplit,
        response: {
          200: splitAnswer,
          ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND', ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const corrector = correctorOf(dependencies, audience, request)
      const wishId = request.params.id
      const { requestIds } = request.body
      return dependencies.idempotent(request, reply, async (transaction) => {
        const split = await splitWish(transaction, { ...corrector, wishId, requestIds })
        return { data: { correctionId: split.correctionId, wishId: wishId.toLowerCase(), newWishId: split.newWishId } }
      })
    },
  )
}

function registerUndo(app: App, dependencies: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, idSuffix, view, tags, security } = audience
  app.delete(
    `${prefix}/wishes/corrections/:correctionId`,
    {
      onRequest: onChange,
      schema: {
        operationId: `undoWishCorrection${idSuffix}`,
        summary: `Undo a merge, a split or an answer to a suggestion ${view}`,
        description: 'Later corrections stay. A second time changes nothing.',
        tags,
        security,
        params: correctionPath,
        response: { 200: undoAnswer, ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { correctionId } = request.params
      const corrector = correctorOf(dependencies, audience, request)
      const isKnown = await dependencies.database
        .transaction()
        .execute((transaction) => undoWishCorrection(transaction, correctionId, corrector))
      if (!isKnown) throw notFound('Correction')
      return { data: { correctionId: correctionId.toLowerCase() } }
    },
  )
}

function registerList(app: App, { database }: RouteDependencies, audience: CorrectionAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, view, tags, security } = audience
  app.get(
    `${prefix}/wishes/corrections`,
    {
      onRequest,
      schema: {
        operationId: `listWishCorrections${idSuffix}`,
        summary: `List merges, splits and answers to suggestions ${view}, the last made first`,
        description:
          'The latest 1,000 that were undone are in the list, too. `request` is the most voted one of the moved requests; null when none ' +
          'was moved or is stored now, or the correction was undone.',
        tags,
        security,
        querystring: closed(pageParameters),
        response: { 200: correctionList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED') },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      return { data: await listWishCorrections(database, { accountId: accountIdOf(request), limit, cursor }) }
    },
  )
}
