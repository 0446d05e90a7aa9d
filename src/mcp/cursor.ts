import { WishwellError } from '../../client/error.ts'

/** Where a list goes on: a position of the API, and how many items after it were sent already. */
export interface Position {
  at: string | number | null
  skip: number
}

export const writeCursor = ({ at, skip }: Position): string =>
  Buffer.from(JSON.stringify([at, skip])).toString('base64url')

/** @throws WishwellError INVALID_REQUEST for what is no cursor */
export function readCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return { at: null, skip: 0 }
  try {
    const [at, skip] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown]
    const isPosition = at === null || typeof at === 'string' || (typeof at === 'number' && Number.isSafeInteger(at))
    if (isPosition && typeof skip === 'number' && Number.isSafeInteger(skip) && skip >= 0) return { at, skip }
  } catch {
    // The same as one of another form.
  }
  throw new WishwellError('cursor: is none of this tool.', { code: 'INVALID_REQUEST' })
}

/** The rows of a page of the API from `skip` on, and the cursor behind the first of them. */
export function pageAt<Row>({ at, skip }: Position, rows: readonly Row[], next: string | number | null) {
  const rest = rows.slice(skip)
  const cursorAfter = (count: number): string | null => {
    if (count < rest.length) return writeCursor({ at, skip: skip + count })
    return next === null ? null : writeCursor({ at: next, skip: 0 })
  }
  return { rows: rest, cursorAfter }
}
