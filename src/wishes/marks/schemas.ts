import { Type } from 'typebox'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { marks } from './marks.ts'

const maxNoteLength = 2_000

/** What an account noted about a wish, in every answer that has wishes. */
export const wishMark = closed({
  mark: nullable(oneOf(marks)),
  starred: Type.Boolean(),
  note: Type.String({ description: 'Empty when there is none' }),
  updatedAt: moment('When it last changed'),
})

export const markChanges = closed(
  {
    mark: Type.Optional(nullable(oneOf(marks, { description: 'null removes it' }))),
    starred: Type.Optional(Type.Boolean()),
    note: Type.Optional(
      Type.String({ 'x-trim': true, maxLength: maxNoteLength, description: 'The empty text removes it' }),
    ),
  },
  { minProperties: 1, description: 'What is given changes; the rest stays' },
)

/** The filters of a list of wishes by the marks of the account. */
export const markFilters = {
  mark: Type.Optional(
    oneOf([...marks, 'none'], { description: 'Only wishes with this mark of the account, or without any' }),
  ),
  starred: Type.Optional(Type.Boolean({ description: 'Only wishes with, or without, a star of the account' })),
}

export const markAnswer = closed({
  data: closed({ wishId: Type.String(), mark: nullable(wishMark) }),
})
