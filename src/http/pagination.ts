import { type TSchema, Type } from 'typebox'
import { parseJson } from '../runtime/foreign/json.ts'
import { isId } from './ids.ts'
import { closed, defaulted, nullable } from './schemas.ts'
import { type SortOrder, sortSynonyms } from './sort-words.ts'
import { invalidField } from './validation.ts'

const defaultLimit = 20
const maxLimit = 100

/** Query parameters of a list; Ajv fills in the default. */
export const pageParameters = {
  limit: defaulted(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
      description: 'The maximum of items in this answer',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 10_000, description: 'From the previous answer' })),
}

/** The `data` of a list: items and next cursor. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  closed({
    results: Type.Array(item),
    hasMore: Type.Boolean({ description: 'Whether there is another page' }),
    cursor: nullable(Type.String({ description: 'Of the next page' })),
  })

export interface PageInput {
  limit: number
  cursor?: string | undefined
}

/** A list's cursors: opaque texts with the position where the next page starts. */
export interface Cursors<Position> {
  encode(position: Position): string
  /** @throws ServiceError INVALID_REQUEST for another list's cursor */
  decode(cursor: string): Position
}

/** A page of rows read one beyond the limit, and the next cursor. @param cursorOf the cursor after a row */
export function pageIn<Row>(rows: readonly Row[], limit: number, cursorOf: (last: Row) => string) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit
  return { page, hasMore, cursor: hasMore && last !== undefined ? cursorOf(last) : null }
}

/** Checks each value, because cursors are untrusted. */
type Checks<Position extends readonly unknown[]> = {
  [Index in keyof Position]: (value: unknown) => value is Position[Index]
}

export const isPositionNumber = (value: unknown): value is number => Number.isSafeInteger(value)
export const isPositionId = (value: unknown): value is string => typeof value === 'string' && isId(value)
/** Text that Postgres can store and compare. */
export const isPositionText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

/** @param list its name and order: cursors of other lists or orders are refused */
export function cursorsOf<Position extends readonly unknown[]>(
  list: string,
  ...checks: Checks<Position>
): Cursors<Position> {
  return {
    encode: (position) => Buffer.from(JSON.stringify([list, ...position])).toString('base64url'),
    decode: (cursor) => {
      try {
        const [name, ...position] = parseJson(Buffer.from(cursor, 'base64url')) as unknown[]
        const fits = position.length === checks.length && checks.every((check, index) => check(position[index]))
        if (name === list && fits) return position as unknown as Position
      } catch {
        // Not JSON or no list: not our cursor.
      }
      throw invalidField('cursor', 'is not a cursor of this list; start again without it')
    },
  }
}

/** Pages a short list, read as a whole. @param positionOf a unique text per row, by which the list is sorted */
export function pageOfShort<Row>(
  rows: readonly Row[],
  { limit, cursor }: PageInput,
  { list, positionOf }: { list: string; positionOf: (row: Row) => string },
) {
  const cursors = cursorsOf<[string]>(list, isPositionText)
  const after = cursor === undefined ? '' : cursors.decode(cursor)[0]
  const placed = rows
    .map((row) => ({ row, position: positionOf(row) }))
    .filter(({ position }) => position > after)
    .sort((one, other) => (one.position < other.position ? -1 : 1))
  const { page, ...rest } = pageIn(placed, limit, ({ position }) => cursors.encode([position]))
  return { results: page.map(({ row }) => row), ...rest }
}

/** A route's `sortBy` with these orders. Ajv replaces synonyms, so handlers never see them. */
export const sortOrder = <const Order extends SortOrder>(
  orders: readonly Order[],
  { description, ...options }: { description: string; default?: NoInfer<Order> },
) =>
  Type.Unsafe<Order>({
    type: 'string',
    'x-synonyms': sortSynonyms,
    enum: [...orders],
    description: `${description}; \`top\` is accepted for \`votes\``,
    ...options,
  })

/** Like `sortOrder`, with a default filled in by Ajv. */
export const sortByParameter = <const Order extends SortOrder>(
  orders: readonly Order[],
  options: { description: string; default: NoInfer<Order> },
) => defaulted(sortOrder<Order>(orders, options))
