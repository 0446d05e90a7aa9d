import type { PublicPages } from '../../platforms/definition.ts'
import type { RequestRecord } from '../../requests/record.ts'

/** A request with its whole text, and the cursor to resume the export after it. */
export type ExportedRequest = Omit<RequestRecord, 'descriptionTruncated'> & {
  publicPages: PublicPages['show']
  cursor: string
}

/** Column order. Readers use names: later versions may add columns before the cursor, which stays last. */
const columns = [
  '_id',
  'title',
  'description',
  'votes',
  'tags',
  'commentCount',
  'sourcePlatform',
  'sourceUrl',
  'topic',
  'topics',
  'authorName',
  'authorHandle',
  'authorProfileUrl',
  'license',
  'originalCreatedAt',
  'createdAt',
  'updatedAt',
  'confidence',
  'likelihood',
  'corrected',
  'status',
  'statusChangedAt',
  'statusObserved',
  'excerpt',
  'sourceName',
  'product',
  'wishId',
  'wishRequestCount',
  'wishVotes',
  'stars',
  'publicPages',
  'cursor',
] as const satisfies readonly (keyof Row)[]

/**
 * What a spreadsheet may take for a formula: = + - @ (also full-width) at the start or after characters it skips, and
 * tab and carriage return (OWASP, "CSV Injection"). A leading quote is included only to tell it from an added one.
 */
const risky = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]|[\t\r']|[\p{Cc}\p{Cf}])/u

/** Quotes text that a spreadsheet might take for a formula; strip the first quote to restore it. */
export const withoutFormula = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** Always quoted, to tell an empty text from none (RFC 4180). */
const quoted = (text: string) => `"${withoutFormula(text).replaceAll('"', '""')}"`

function toRow({ wish, ...request }: ExportedRequest) {
  const { wishId = null, requestCount = null, votes = null } = wish ?? {}
  return { ...request, wishId, wishRequestCount: requestCount, wishVotes: votes }
}

type Row = ReturnType<typeof toRow>

function toField(value: Row[(typeof columns)[number]]): string {
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quoted(typeof value === 'string' ? value : JSON.stringify(value))
}

export const csvHeader = `${columns.join(',')}\r\n`

/** An RFC 4180 record: lists as JSON, unknown values empty. */
export function toCsvRecord(request: ExportedRequest): string {
  const row = toRow(request)
  return `${columns.map((column) => toField(row[column])).join(',')}\r\n`
}
