import { Type } from 'typebox'
import { named } from '../http/openapi-components.ts'
import { closed, oneOf } from '../http/schemas.ts'
import { facetNames, voteSteps } from './engine.ts'

/** The parameter that selects facets to count. */
export const facetsParameter = (description: string) =>
  Type.Optional(Type.Array(oneOf(facetNames), { minItems: 1, maxItems: 8, description }))

const facetValues = Type.Array(closed({ value: Type.String(), count: Type.Integer() }), {
  ...named('FacetValues'),
  description:
    'The most frequent value first, at most 100; a request with several tags counts for each of them. Of `votes` a value is the least ' +
    `number: ${voteSteps.join(', ')}`,
})

/** The exactness of a count, and its facets. */
export const countsSchema = {
  totalIsExact: Type.Boolean({ description: 'False: there are more than `total`' }),
  facets: closed(Object.fromEntries(facetNames.map((name) => [name, Type.Optional(facetValues)]))),
  facetsAreExact: Type.Boolean({
    description: 'False: `facets` count only the first of very many requests with all words',
  }),
}
