import { number } from '../shell/format.ts'
import { DataTable } from './data-table.tsx'

export interface Bar {
  /** What tells two bars of the same name apart; by default the name. */
  id?: string
  name: string
  /** The figures of the columns; the first one is the length of the bar. */
  values: number[]
}

interface BarListProps {
  title: string
  /** The unit of a bar. */
  unit: string
  columns: string[]
  bars: Bar[]
}

/** Bars side by side, each with its name and figure written beside it, and the table behind them. */
export function BarList({ title, unit, columns, bars }: BarListProps) {
  const longest = Math.max(1, ...bars.map(({ values }) => values[0] ?? 0))
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <ul className="bar-list">
        {bars.map(({ id, name, values }) => (
          <li key={id ?? name}>
            <bdi className="bar-name">{name}</bdi>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect className="series-0" width={((values[0] ?? 0) / longest) * 100} height={10} />
            </svg>
            <span className="bar-value">{number(values[0] ?? 0)}</span>
          </li>
        ))}
      </ul>
      <DataTable
        caption={title}
        columns={[unit, ...columns]}
        rows={bars.map(({ name, values }) => [<bdi key={name}>{name}</bdi>, ...values.map(number)])}
      />
    </figure>
  )
}
