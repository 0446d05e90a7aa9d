import { Type } from 'typebox'
import { maxCorrections } from '../../accounts/accounts.ts'
import { type Audience, audiencesOf } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { type ErrorCode, notFound } from '../../http/errors.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { closed, reading, sending } from '../../http/schemas.ts'
import { type CorrectionDependencies, correctRequest, undoCorrection } from './corrections.ts'
import { correction, listCorrections } from './list.ts'

const correctionPath = closed({ correctionId: Type.String() })

const requestId = Type.String({ maxLength: 100, description: 'The `_id` of a request' })
const newCorrection = closed({
  requestId,
  isRequest: Type.Boolean({ description: 'Whether the request is a feature request' }),
})

interface CorrectionAudience extends Audience {
  limit: string
  refusals: ErrorCode[]
  tags: string[]
}

/** Registers the routes that record which requests are feature requests, per account and for the operator. */
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
    registerList(app, dependencies, audience)
  }
}

function registerCorrect(app: App, dependencies: CorrectionDependencies, audience: CorrectionAudience): void {
  const { database, clock, authentication } = dependencies
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, limit, refusals, tags, security } = audience
  app.post(`${prefix}/corrections/requests`, {
    onRequest: onChange,
    schema: {
      operationId: `correctRequest${idSuffix}`,
      summary: `Say that a request is a feature request, or is none, ${view}`,
      description: `Free. It also holds after the request has expired and is collected again. The same correction again changes nothing, the opposite one replaces it.${limit}`,
      tags,
      security,
      body: newCorrection,
      response: sending(correction, ...changeErrors, ...refusals),
    },
    handler: async (request) => {
      const made = {
        ...request.body,
        accountId: accountIdOf(request),
        madeBy: authentication.originOf(request),
        now: clock.now(),
      }
      const data = await database.transaction().execute(async (transaction) => {
        await correctRequest(transaction, made)
        return (await listCorrections(transaction, { ...made, limit: 1 })).results[0]!
      })
      return { data }
    },
  })
}

function registerUndo(app: App, { database }: CorrectionDependencies, audience: CorrectionAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, tags, security } = audience
  app.delete(`${prefix}/corrections/requests/:correctionId`, {
    onRequest: onChange,
    schema: {
      operationId: `undoRequestCorrection${idSuffix}`,
      summary: `Undo the correction of a request ${view}, also when the request is gone`,
      tags,
      security,
      params: correctionPath,
      response: sending(closed({ correctionId: Type.String() }), ...changeErrors, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { correctionId } = request.params
      const accountId = accountIdOf(request)
      const isUndone = await database
        .transaction()
        .execute((transaction) => undoCorrection(transaction, { accountId, correctionId }))
      if (!isUndone) throw notFound('Correction')
      return { data: { correctionId } }
    },
  })
}

function registerList(app: App, { database }: CorrectionDependencies, audience: CorrectionAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, view, tags, security } = audience
  app.get(`${prefix}/corrections/requests`, {
    onRequest,
    schema: {
      operationId: `listRequestCorrections${idSuffix}`,
      summary: `List the corrections of requests ${view}, the last made first`,
      description:
        '`request` is null when the request is not stored now. Its correction holds once it is collected again.',
      tags,
      security,
      querystring: closed({ requestId: Type.Optional(requestId), ...pageParameters }),
      response: reading(pageOf(correction)),
    },
    handler: async (request) => {
      return { data: await listCorrections(database, { accountId: accountIdOf(request), ...request.query }) }
    },
  })
}
