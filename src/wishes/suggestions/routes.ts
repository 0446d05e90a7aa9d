import { Type } from 'typebox'
import { type Audience, audiencesOf, type RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { named } from '../../http/openapi-components.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { bodyErrors, closed, errorResponses, nullable, oneOf, openWord, reading } from '../../http/schemas.ts'
import { queryFilters } from '../../requests/filters/filters.ts'
import { wishProperties } from '../list/summary.ts'
import { reasonsAgainst, reasonsFor } from '../pairs/reasons.ts'
import { answerSuggestion, answers } from './answer.ts'
import { listSuggestions } from './list.ts'

const words = Type.Array(Type.String(), { description: 'That say it; none where the whole texts do' })

const suggestion = closed(
  {
    suggestionId: Type.String({ description: 'By which it is answered' }),
    similarity: Type.Number({ minimum: 0, maximum: 1, description: 'How alike two of their requests are' }),
    judgedSame: nullable(
      Type.Boolean({ description: 'What a model said; null where none was asked (`AI_PAIRS_PER_DAY`)' }),
    ),
    wishes: Type.Array(closed(wishProperties), { minItems: 2, maxItems: 2, description: 'The more voted one first' }),
    reasons: closed(
      {
        for: Type.Array(closed({ kind: openWord(reasonsFor, 'What speaks for it'), words })),
        against: Type.Array(closed({ kind: openWord(reasonsAgainst, 'What speaks against it'), words })),
      },
      { description: 'What speaks for and against their being the same' },
    ),
  },
  named('WishSuggestion'),
)

const answered = closed({
  data: closed({
    suggestionId: Type.String(),
    answer: oneOf(answers),
    correctionId: Type.String({ description: 'What it is undone by' }),
    wishId: Type.String({ description: 'The more voted one, which stays after `same`' }),
  }),
})

const tags = { account: ['Wishes'], operator: ['Admin'] }

/** Registers the routes that answer which wishes are the same, per account and for the operator. */
export function registerSuggestionRoutes(app: App, dependencies: RouteDependencies): void {
  const { account, operator } = audiencesOf(dependencies.authentication)
  registerSuggestions(app, dependencies, { ...account, tags: tags.account })
  registerSuggestions(app, dependencies, { ...operator, tags: tags.operator })
}

function registerSuggestions(
  app: App,
  { database, clock, authentication, idempotent }: RouteDependencies,
  audience: Audience & { tags: string[] },
): void {
  const { prefix, onRequest, onChange, changeErrors, accountIdOf, idSuffix, view, security } = audience
  const common = { tags: audience.tags, security }
  app.get(`${prefix}/suggestions/wishes`, {
    onRequest,
    schema: {
      ...common,
      operationId: `listWishSuggestions${idSuffix}`,
      summary: `List pairs of wishes that may be the same, ${view}`,
      description:
        'Those with the most votes times similarity first; requests of one day count half. A pair that was answered is not asked again, until ' +
        'the answer is undone. A page may be short although more follow.',
      querystring: closed({ ...pageParameters, topic: queryFilters.topic, product: queryFilters.product }),
      response: reading(pageOf(suggestion)),
    },
    handler: async (request) => {
      const { limit, cursor, topic, product } = request.query
      const products = product?.map((name) => name.toLowerCase())
      const ofView = { account: accountIdOf(request), least: 2 as const }
      return {
        data: await listSuggestions(database, { limit, cursor, topic, products, view: ofView, now: clock.now() }),
      }
    },
  })
  app.post(`${prefix}/suggestions/wishes/:suggestionId`, {
    onRequest: onChange,
    schema: {
      ...common,
      operationId: `answerWishSuggestion${idSuffix}`,
      summary: `Say whether two wishes are the same, ${view}`,
      description:
        '`same` merges them, `not_the_same` parts them, `skip` only asks no more. Free. Each is a correction, and is undone as one.',
      headers: idempotencyHeaders,
      params: closed({ suggestionId: Type.String() }),
      body: closed({ answer: oneOf(answers) }),
      response: {
        200: answered,
        ...errorResponses(...bodyErrors, ...changeErrors, 'NOT_FOUND', ...idempotencyErrors),
      },
    },
    handler: async (request, reply) => {
      const corrector = {
        accountId: accountIdOf(request),
        madeBy: authentication.originOf(request),
        now: clock.now(),
      }
      const { suggestionId } = request.params
      const { answer } = request.body
      return idempotent(request, reply, async (transaction) => {
        const made = await answerSuggestion(transaction, { ...corrector, suggestionId, answer })
        return { data: { suggestionId: suggestionId.toLowerCase(), answer, ...made } }
      })
    },
  })
}
