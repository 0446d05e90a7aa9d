import { Type } from 'typebox'
import { named } from '../../http/openapi-components.ts'
import { closed, nullable, oneOf } from '../../http/schemas.ts'

const number = nullable(Type.Number({ minimum: 0, maximum: 1 }))

export const estimate = closed(
  {
    labels: Type.Integer({ description: 'Corrections of drawn texts that it follows from' }),
    from: nullable(oneOf(['account', 'operator'], { description: 'Whose they are; null while they are too few' })),
    share: number,
    low: number,
    high: number,
  },
  { ...named('AccuracyEstimate'), description: 'The share of requests, and its 95 % interval' },
)
