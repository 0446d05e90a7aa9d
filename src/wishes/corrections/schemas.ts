import { Type } from 'typebox'
import { pageOf } from '../../http/pagination.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import { correctionKinds } from './corrections.ts'

export const wishPath = closed({ id: Type.String() })
export const correctionPath = closed({ correctionId: Type.String() })

/** How many requests one call takes out of a wish. */
const maxParted = 20

export const newMerge = closed({
  wishId: Type.String({ maxLength: 100, description: 'The wish whose requests come into the one of the path' }),
})

export const newSplit = closed({
  requestIds: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: maxParted,
    description: 'The requests that are not the same as the others of the wish',
  }),
})

const correctionId = Type.String({ description: 'What it is undone by' })

export const mergeAnswer = closed({
  data: closed({
    correctionId,
    wishId: Type.String({ description: 'The wish that has all the requests now' }),
  }),
})

export const splitAnswer = closed({
  data: closed({
    correctionId,
    wishId: Type.String({ description: 'The wish of the requests that stay' }),
    newWishId: Type.String({ description: 'The wish of those that were taken out' }),
  }),
})

export const undoAnswer = closed({ data: closed({ correctionId: Type.String() }) })

export const correctionList = closed({
  data: pageOf(
    'corrections',
    closed({
      correctionId,
      kind: oneOf(correctionKinds, {
        description: '`part` says that two wishes are not the same, `skip` that nobody is asked again whether they are',
      }),
      wishId: Type.String({
        description: 'The wish that was merged into, that requests were taken out of, or one of the two',
      }),
      otherWishId: Type.String({ description: 'The wish that was merged into it, that was made, or the other one' }),
      madeBy: Type.String({
        description: '`key <id>`, `session <id>`, `admin`, or `model` for what a model took for the same',
      }),
      correctedAt: moment('When it was made'),
      undoneAt: nullable(moment('When it was undone')),
      undoneBy: nullable(Type.String()),
      request: nullable(requestRecord),
    }),
  ),
})
