import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { WishwellError } from '../../client/error.ts'

/** Where a list continues: a position of the API, and how many items after it were already sent. */
export interface Position {
  at: string | number | null
  skip: number
  /** Its call: the tool and its other arguments. */
  of: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Not for secrecy: a position may contain a topic's words, and models read base64. */
const key = sha256('the cursors of mcp')
const [ivBytes, tagBytes] = [12, 16]

function writeCursor({ at, skip, of }: Position): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const text = Buffer.concat([cipher.update(JSON.stringify([at, skip, of])), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
}

function decode(cursor: string): Position | null {
  const bytes = Buffer.from(cursor, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
    const [at, skip, of] = JSON.parse(text.toString())
    return { at, skip, of }
  } catch {
    return null
  }
}

/** Where a call continues. @throws WishwellError INVALID_REQUEST for a cursor of other arguments, or none */
export function positionOf(tool: string, { cursor, ...given }: { cursor?: string }): Position {
  const others = Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const of = sha256(JSON.stringify([tool, others]))
    .toString('base64url')
    .slice(0, 12)
  if (cursor === undefined) return { at: null, skip: 0, of }
  const position = decode(cursor)
  if (position?.of === of) return position
  const message = 'cursor: is of another call. Repeat all other arguments of the call that gave it, or leave it out.'
  throw new WishwellError(message, { code: 'INVALID_REQUEST' })
}

/** The rows of an API page from `skip` on, and the cursor after the first of them. */
export function pageAt<Row>({ at, skip, of }: Position, rows: readonly Row[], next: string | number | null) {
  const rest = rows.slice(skip)
  const cursorAfter = (count: number): string | null => {
    if (count < rest.length) return writeCursor({ at, skip: skip + count, of })
    return next === null ? null : writeCursor({ at: next, skip: 0, of })
  }
  return { rows: rest, cursorAfter }
}
