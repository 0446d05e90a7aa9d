import { Type } from 'typebox'
import { pageOf } from '../../http/pagination.ts'
import { closed, moment, nullable } from '../../http/schemas.ts'
import { requestRecord } from '../record.ts'

export const requestPath = closed({ id: Type.String() })
export const correctionPath = closed({ correctionId: Type.String() })

export const newCorrection = closed({
  isRequest: Type.Boolean({ description: 'Whether the request is a feature request' }),
})

/** The correction of a request after the call. */
export const correctionAnswer = closed({
  data: closed({
    requestId: Type.String(),
    isRequest: nullable(Type.Boolean({ description: 'null: there is no correction' })),
  }),
})

export const correctionList = closed({
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

export const undoneCorrection = closed({ data: closed({ correctionId: Type.String() }) })
