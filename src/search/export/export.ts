import type { Database } from '../../database/open.ts'
import { type ListInput, listRequests } from '../list/list.ts'
import { csvHeader, type ExportedRequest, toCsvRecord } from './csv.ts'

export const exportFormats = ['jsonl', 'csv'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** How many requests are read at once: other statements run between two such pages. */
const pageSize = 200
export const byteOrderMark = '\ufeff'

export interface ExportInput extends Omit<ListInput, 'limit' | 'fullText'> {
  format: ExportFormat
  /** Begins a CSV with a byte order mark, by which old spreadsheets recognise UTF-8. */
  bom: boolean
}

export const toText = { jsonl: (request: ExportedRequest) => `${JSON.stringify(request)}\n`, csv: toCsvRecord } as const

/**
 * The requests of a list as text, a page after the other; a page is read when its reader wants it, so that there is never
 * more than one in memory. With a cursor it goes on where an earlier export ended, without a header.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list, before the first text.
 */
export async function* exportRequests(
  database: Database,
  { format, bom, ...filters }: ExportInput,
): AsyncGenerator<string> {
  const list = { ...filters, fullText: true, limit: pageSize }
  const begins = list.cursor === undefined
  let page = await listRequests(database, list)
  if (begins && format === 'csv') yield (bom ? byteOrderMark : '') + csvHeader
  for (;;) {
    const text = page.results
      .map(({ descriptionTruncated: _, ...request }, index) =>
        toText[format]({ ...request, cursor: page.cursors[index]! }),
      )
      .join('')
    if (text !== '') yield text
    if (page.cursor === null) return
    const { cursor } = page
    page = await listRequests(database, { ...list, cursor })
  }
}
