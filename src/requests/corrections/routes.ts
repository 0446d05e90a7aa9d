import { Type } from 'typebox'
import { maxCorrections } from '../../accounts/accounts.ts'
import { type Audience, audiencesOf } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { type ErrorCode, notFound } from '../../http/errors.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { bodyErrors, closed, errorResponses, moment, nullable } from '../../http/schemas.ts'
import { requestRecord } from '../record.ts'
import { type CorrectionDependencies, correctRequest, undoCorrection, undoCorrectionById } from './corrections.ts'
import { listCorrections } from './list.ts'

const requestPath = closed({ id: Type.String() })
const correctionPath = closed({ correctionId: Type.String() })

const newCorrection = closed({
  isRequest: Type.Boolean({ description: 'Whether the request is a feature request' }),
})

/** The correction of a request after the call. */
const correctionAnswer = closed({
  data: closed({
    requestId: Type.String(),
    isRequest: nullable(Type.Boolean({ description: 'null: there is no correction' })),
  }),
})

const correctionList = closed({
  data: pageOf(
    'corrections',
    closed({
      correctionId: Type.String({ description: 'What it is undone by when its request is gone' }),
      isRequest: Type.Boolean(),
      sourcePlatform: Type.String({ description: 'Platform identifier' }),
      madeBy: Type.String({ description: '`key <id>`, `session <id>` or `admin`' }),
      correctedAt: moment('When it was made or last changed'),
      request: nullable(requestRecord),
    }),
  ),
})

const undoneCorrection = closed({ data: closed({ correctionId: Type.String() }) })

/** What differs between the routes of accounts and those of the operator. */
interface CorrectionAudience extends Audience {
  limit: string
  /** The errors of a correction. */
  refusals: ErrorCode[]
  tags: string[]
}

/** The routes by which accounts, and the operator for all of them, say which requests are feature requests. */
export function registerCorrectionRoutes(app: App, dependencies: CorrectionDependencies): void {
  const { authentication } = dependencies
  const { account, operator } = audiencesOf(authentication)
  const audiences: CorrectionAudience[] = [
    {
      ...account,
      limit: ` An account can have ${maxCorrections.toLocaleString('en-US')}; one more is a 409.`,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      tags: ['Requests'],
    },
    {
      ...operator,
      limit: ' A correction of an account takes precedence for that account.',
      refusals: ['NOT_FOUND'],
      tags: ['Admin'],
    },
  ]
  for (const audience of audiences) {
    registerCorrect(app, dependencies, audience)
    registerUndo(app, dependencies, audience)
    registerUndoById(app, dependencies, audience)
    registerList(app, dependencies, audience)
  }
}

function registerCorrect(app: App, dependencies: CorrectionDependencies, audience: CorrectionAudience): void {
  const { database, clock, authentication } = dependencies
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, limit, refusals, tags, security } = audience
  app.put(
    `${prefix}/requests/:id/correction`,
    {
      onRequest: onChange,
      schema: {
        operationId: `correctRequest${idSuffix}`,
        summary: `Say that a request is a feature request, or is none, ${view}`,
        description: `Free. It also holds after the request has expired and is collected again. The same correction again changes nothing.${limit}`,
        tags,
        security,
        params: requestPath,
        body: newCorrection,
        response: { 200: correctionAnswer, ...errorResponses(...bodyErrors, ...changeErrors, ...refusals) },
      },
    },
    async (request) => {
      const { id: requestId } = request.params
      const { isRequest } = request.body
      const correction = {
        accountId: accountIdOf(request),
        requestId,
        isRequest,
        madeBy: authentication.originOf(request),
        now: clock.now(),
      }
      await database.transaction().execute((transaction) => correctRequest(transaction, correction))
      return { data: { requestId, isRequest } }
    },
  )
}

function registerUndo(app: App, { database }: CorrectionDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, tags, security } = audience
  app.delete(
    `${prefix}/requests/:id/correction`,
    {
      onRequest: onChange,
      schema: {
        operationId: `undoCorrection${idSuffix}`,
        summary: `Undo the correction of a request ${view}`,
        description: 'Without a correction nothing changes.',
        tags,
        security,
        params: requestPath,
        response: { 200: correctionAnswer, ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { id: requestId } = request.params
      const accountId = accountIdOf(request)
      await database.transaction().execute((transaction) => undoCorrection(transaction, { accountId, requestId }))
      return { data: { requestId, isRequest: null } }
    },
  )
}

function registerUndoById(app: App, { database }: CorrectionDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, tags, security } = audience
  app.delete(
    `${prefix}/corrections/:correctionId`,
    {
      onRequest: onChange,
      schema: {
        operationId: `undoCorrectionById${idSuffix}`,
        summary: `Undo a correction ${view}, also when its request is gone`,
        tags,
        security,
        params: correctionPath,
        response: { 200: undoneCorrection, ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { correctionId } = request.params
      const accountId = accountIdOf(request)
      const isUndone = await database
        .transaction()
        .execute((transaction) => undoCorrectionById(transaction, { accountId, correctionId }))
      if (!isUndone) throw notFound('Correction')
      return { data: { correctionId } }
    },
  )
}

function registerList(app: App, { database }: CorrectionDependencies, audience: CorrectionAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, view, tags, security } = audience
  app.get(
    `${prefix}/corrections`,
    {
      onRequest,
      schema: {
        operationId: `listCorrections${idSuffix}`,
        summary: `List the corrections ${view}, the last made first`,
        description:
          '`request` is null when the request is not stored now. Its correction holds once it is collected again.',
        tags,
        security,
        querystring: closed(pageParameters),
        response: { 200: correctionList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED') },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      return { data: await listCorrections(database, { accountId: accountIdOf(request), limit, cursor }) }
    },
  )
}
