import { type TSchema, Type } from 'typebox'
import { isId } from './ids.ts'
import { closed, defaulted, nullable } from './schemas.ts'
import { invalidField } from './validation.ts'

/** How many items a page has unless the caller says otherwise, and how many at most. */
const defaultLimit = 20
const maxLimit = 100

/** The query parameters of a list; Ajv fills in the default. */
export const pageParameters = {
  limit: defaulted(
    Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit, description: 'Most items of this answer' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 10_000, description: 'From the answer before' })),
}

/** The `data` of a list: the items under the list's own name, and how to get the next page. */
export const pageOf = <Name extends string, Item extends TSchema>(name: Name, item: Item) =>
  closed({
    ...({ [name]: Type.Array(item) } as Record<Name, ReturnType<typeof Type.Array<Item>>>),
    hasMore: Type.Boolean({ description: 'Another page can be had' }),
    cursor: nullable(Type.String({ description: 'For the page after this one' })),
  })

/** What a page of a list is read with. */
export interface PageInput {
  /** 1 to 100 */
  limit: number
  /** As an earlier page gave it. */
  cursor?: string | undefined
}

/** The cursors of one list: opaque texts that carry the position after which the next page begins. */
export interface Cursors<Position> {
  encode(position: Position): string
  /** @throws ServiceError INVALID_REQUEST for a cursor that is not of this list. */
  decode(cursor: string): Position
}

/** Checks each value of a position: a cursor comes from outside. */
type Checks<Position extends readonly unknown[]> = {
  [Index in keyof Position]: (value: unknown) => value is Position[Index]
}

export const isPositionNumber = (value: unknown): value is number => Number.isSafeInteger(value)
export const isPositionId = (value: unknown): value is string => typeof value === 'string' && isId(value)
/** A text that Postgres can compare with. */
export const isPositionText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

/**
 * The cursors of a list.
 * @param list its name with its order: a cursor of another list, or of the same in another order, is refused.
 */
export function cursorsOf<Position extends readonly unknown[]>(
  list: string,
  ...checks: Checks<Position>
): Cursors<Position> {
  return {
    encode: (position) => Buffer.from(JSON.stringify([list, ...position])).toString('base64url'),
    decode: (cursor) => {
      try {
        const [name, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
        const fits = position.length === checks.length && checks.every((check, index) => check(position[index]))
        if (name === list && fits) return position as unknown as Position
      } catch {
        // Not JSON, or not a list: not one of ours.
      }
      throw invalidField('cursor', 'is not a cursor of this list; start again without it')
    },
  }
}
