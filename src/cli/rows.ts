import { terminalColumns } from './output.ts'
import { countColumns, printable } from './text.ts'

/** One thing in a list: what people know it by, what there is to know, and the id that commands take. */
export interface Row {
  /** Its title or name; a thing without one has what it is, or its moment. */
  title: string
  /** Empty ones are left out. */
  facts: readonly string[]
  /** Never shortened: ids of the same hour begin alike, so that a part of one would name many things. Null for what has none. */
  id: string | null
}

const partsOf = ({ title, facts, id }: Row): string[] =>
  [title, facts.filter((fact) => fact !== '').join(' · '), id ?? ''].map(printable).filter((part) => part !== '')

/** One line, in the order in which people read: title, facts, id. */
export const formatRow = (row: Row): string => partsOf(row).join('  ')

/**
 * Rows as text: a line each, or one for each part of a row on a terminal that is too narrow.
 * @param columns null in a pipe, where a row is always one line
 */
export function formatRows(rows: readonly Row[], columns: number | null = terminalColumns()): string[] {
  const lines = rows.map(formatRow)
  if (columns === null || lines.every((line) => countColumns(line) <= columns)) return lines
  return rows.flatMap((row) => partsOf(row).map((part, index) => (index === 0 ? part : `  ${part}`)))
}
