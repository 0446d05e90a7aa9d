import { number } from '../shell/format.ts'
import { chartTexts as texts } from '../texts/charts.ts'
import { DataTable } from './data-table.tsx'

export interface Column {
  name: string
  /** A figure for each series, in their order. */
  values: number[]
}

interface ColumnChartProps {
  title: string
  /** The unit of a column: a week, a day. */
  unit: string
  series: string[]
  columns: Column[]
  /** The figures are levels, not amounts: their sum says nothing. */
  isLevel?: boolean
}

const height = 120
const columnWidth = 10
const gap = 2

const noColumn: Column = { name: '', values: [] }

const totalOf = ({ values }: Column) => values.reduce((sum, value) => sum + value, 0)

/**
 * Columns over time, stacked for several series. Each series has a pattern of its own, so the chart is readable without colour;
 * the highest column is named, and the table behind it has every figure.
 */
export function ColumnChart({ title, unit, series, columns, isLevel = false }: ColumnChartProps) {
  const highest = Math.max(1, ...columns.map(totalOf))
  const peak = columns.reduce<Column | null>((best, one) => (best && totalOf(best) >= totalOf(one) ? best : one), null)
  const total = columns.reduce((sum, column) => sum + totalOf(column), 0)
  const last = columns.at(-1)
  const summary = isLevel
    ? texts.level(number(totalOf(columns[0] ?? noColumn)), number(totalOf(last ?? noColumn)))
    : peak && total > 0
      ? texts.summary(number(total), peak.name, number(totalOf(peak)))
      : texts.none
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      {series.length > 1 && (
        <ul className="legend">
          {series.map((name, position) => (
            <li key={name}>
              <span className={`swatch series-${position}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
      )}
      <div className="plot">
        <span className="axis top" aria-hidden="true">
          {number(highest)}
        </span>
        <svg
          viewBox={`0 0 ${Math.max(1, columns.length) * columnWidth} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. ${summary}`}
        >
          {columns.map((column, position) => (
            <Stack key={column.name} column={column} x={position * columnWidth} highest={highest} />
          ))}
        </svg>
      </div>
      <p className="axis ends" aria-hidden="true">
        <span>{columns[0]?.name}</span>
        {columns.length > 1 && <span>{columns.at(-1)?.name}</span>}
      </p>
      <p className="note">{summary}</p>
      <DataTable
        caption={title}
        columns={[unit, ...series]}
        rows={columns.map(({ name, values }) => [name, ...values.map(number)])}
      />
    </figure>
  )
}

function Stack({ column, x, highest }: { column: Column; x: number; highest: number }) {
  let base = height
  return (
    <g>
      <title>{`${column.name}: ${number(totalOf(column))}`}</title>
      {/* The whole column reacts to the pointer, also a low one. */}
      <rect className="reach" x={x} y={0} width={columnWidth} height={height} />
      {column.values.map((value, position) => {
        const size = (value / highest) * height
        base -= size
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the series have a fixed order
            key={position}
            className={`series-${position}`}
            x={x + gap / 2}
            y={base}
            width={columnWidth - gap}
            height={size}
          />
        )
      })}
    </g>
  )
}
