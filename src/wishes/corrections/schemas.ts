import { Type } from 'typebox'
import { personName } from '../../accounts/sessions/people.ts'
import { named } from '../../http/openapi-components.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import { correctionKinds, madeKinds } from './corrections.ts'

export const correctionPath = closed({ correctionId: Type.String() })

const maxParted = 20

const wishId = Type.String({ maxLength: 100 })

export const newWishCorrection = closed({
  kind: oneOf(madeKinds, {
    description:
      '`merge`: two wishes are the same, and `wishId` has the requests of both; `split`: requests are taken out of `wishId`, and are a new ' +
      'wish; `part`: two wishes are not the same, and never joined by themselves',
  }),
  wishId,
  otherWishId: Type.Optional(Type.String({ maxLength: 100, description: 'The other wish of `merge` and `part`' })),
  requestIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: maxParted,
      description: 'Of `split`: the requests that are not the same as the others of the wish',
    }),
  ),
})

export const undoAnswer = closed({ correctionId: Type.String() })

export const wishCorrection = closed(
  {
    correctionId: Type.String({ description: 'What it is undone by' }),
    kind: oneOf(correctionKinds, {
      description: '`part` says that two wishes are not the same, `skip` that nobody is asked again whether they are',
    }),
    wishId: Type.String({
      description: 'The wish that was merged into, that requests were taken out of, or one of the two',
    }),
    otherWishId: Type.String({ description: 'The wish that was merged into it, that was made, or the other one' }),
    madeBy: Type.String({
      description:
        '`key <id>`, `session <id>`, `admin`, `model` for what a model took for the same, or `placing` for wishes that were alike when one of them had grown',
    }),
    personName,
    correctedAt: moment('When it was made'),
    undoneAt: nullable(moment('When it was undone')),
    undoneBy: nullable(Type.String()),
    request: nullable(requestRecord),
  },
  named('WishCorrection'),
)
