import type { ReactNode } from 'react'
import { chartTexts as texts } from '../texts/charts.ts'

export interface DataTableProps {
  caption: string
  columns: string[]
  /** The first cell is the name of the row; the others are figures. */
  rows: ReactNode[][]
}

/** The exact figures of a chart, also for screen readers. */
export const DataTable = ({ caption, columns, rows }: DataTableProps) => (
  <details className="data-table">
    <summary>{texts.asTable}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard */}
    <section className="table-frame" tabIndex={0} aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, position) => (
              <th key={column} scope="col" className={position === 0 ? undefined : 'number'}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of figures have no names, and are never moved
            <tr key={row}>
              {cells.map((cell, position) =>
                position === 0 ? (
                  <th key={columns[position]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={columns[position]} className="number">
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
)
