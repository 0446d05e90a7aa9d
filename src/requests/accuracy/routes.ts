import { Type } from 'typebox'
import { type Audience, audiencesOf } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { named } from '../../http/openapi-components.ts'
import { bodyErrors, closed, errorResponses, oneOf } from '../../http/schemas.ts'
import type { CorrectionDependencies } from '../corrections/corrections.ts'
import { requestRecord } from '../record.ts'
import { strictnesses } from '../views/strictness.ts'
import { drawTexts, readDraw } from './draw.ts'
import { fewestLabels } from './estimate.ts'
import { readAccuracy } from './labels.ts'
import { setStrictness } from './reclassifying.ts'
import { estimate } from './schemas.ts'
import { weeklyTexts } from './seats.ts'

const strictness = oneOf(strictnesses, {
  description: 'How sure detection must be of what is shown; `strict`: fewer texts, and more of them requests',
})

const byClass = { shown: estimate, maybe: estimate, hidden: estimate }

const accuracy = closed(
  {
    ...byClass,
    platforms: Type.Array(closed({ platform: Type.String({ description: 'Platform identifier' }), ...byClass })),
    strictness,
  },
  named('Accuracy'),
)

const draw = closed(
  {
    week: Type.String({ description: 'Its Monday, in UTC' }),
    drawn: Type.Integer({ description: `Texts of this week, at most ${weeklyTexts}` }),
    texts: Type.Array(requestRecord, { description: 'Those that are not corrected yet' }),
  },
  named('Draw'),
)

/** Registers the routes that report how often detection is right, per account and for the operator. */
export function registerAccuracyRoutes(app: App, dependencies: CorrectionDependencies): void {
  const { account, operator } = audiencesOf(dependencies.authentication)
  for (const audience of [
    { ...account, tags: ['Requests'] },
    { ...operator, tags: ['Admin'] },
  ]) {
    registerAccuracy(app, dependencies, audience)
    registerDraw(app, dependencies, audience)
  }
  registerStrictness(app, dependencies, { ...account, tags: ['Requests'] })
}

type TaggedAudience = Audience & { tags: string[] }

function registerAccuracy(app: App, { database }: CorrectionDependencies, audience: TaggedAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, view, tags, security } = audience
  app.get(`${prefix}/accuracy`, {
    onRequest,
    schema: {
      operationId: `getAccuracy${idSuffix}`,
      summary: `How many of the texts that are shown or hidden are requests, ${view}`,
      description: `Of likely texts (shown), maybe and unlikely ones (hidden) that nobody corrected; by drawn texts. With fewer than ${fewestLabels} own labels those of the operator count, and with fewer of these the numbers are null.`,
      tags,
      security,
      response: { 200: closed({ data: accuracy }), ...errorResponses('UNAUTHORIZED') },
    },
    handler: async (request) => ({ data: await readAccuracy(database, accountIdOf(request)) }),
  })
}

function registerDraw(app: App, { database, clock }: CorrectionDependencies, audience: TaggedAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, view, tags, security } = audience
  app.post(`${prefix}/accuracy/draw`, {
    onRequest: onChange,
    schema: {
      operationId: `drawTexts${idSuffix}`,
      summary: `The texts to correct this week, ${view}`,
      description: `Free. They are drawn at random from all classes by the first call of a week. A correction answers one. What is left at its end is given up.`,
      tags,
      security,
      response: { 200: closed({ data: draw }), ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND') },
    },
    handler: async (request) => {
      const owner = { accountId: accountIdOf(request), now: clock.now() }
      const data = await database.transaction().execute(async (transaction) => {
        await drawTexts(transaction, owner)
        return readDraw(transaction, owner)
      })
      return { data }
    },
  })
}

function registerStrictness(app: App, { database }: CorrectionDependencies, audience: TaggedAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, tags, security } = audience
  app.put(`${prefix}/accuracy`, {
    onRequest: onChange,
    schema: {
      operationId: 'setStrictness',
      summary: 'How sure detection must be of what the account is shown',
      description:
        'Free. Lists, counts, searches and wishes follow in the background, within minutes. Corrections hold as before, and nothing that the switch shows is news.',
      tags,
      security,
      body: closed({ strictness }),
      response: { 200: closed({ data: accuracy }), ...errorResponses(...bodyErrors, ...changeErrors) },
    },
    handler: async (request) => {
      const accountId = accountIdOf(request)
      if (accountId !== null) await setStrictness(database, accountId, request.body.strictness)
      return { data: await readAccuracy(database, accountId) }
    },
  })
}
