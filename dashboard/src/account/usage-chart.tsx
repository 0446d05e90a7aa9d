import type { DailyUsage } from '../api/types.ts'
import { type Column, ColumnChart } from '../charts/column-chart.tsx'
import { utcDay } from '../shell/format.ts'
import { accountTexts as texts } from '../texts/later/account.ts'
import { chartDays } from './use-usage.ts'

const operations: DailyUsage['operation'][] = ['scrape', 'expand', 'realtime']
const dayMs = 24 * 60 * 60_000

/** Every day of the period, also those without spending; the last one is today in UTC. */
function columnsOf(days: DailyUsage[], today: number): Column[] {
  return Array.from({ length: chartDays }, (_, position) => {
    const date = new Date(today - (chartDays - 1 - position) * dayMs).toISOString().slice(0, 10)
    const creditsOf = (operation: DailyUsage['operation']) =>
      days.find((day) => day.date === date && day.operation === operation)?.credits ?? 0
    return { name: utcDay(date), values: operations.map(creditsOf) }
  })
}

/** The credits of each day, by operation. */
export function UsageChart({ days }: { days: DailyUsage[] }) {
  const latest = days.at(-1)?.date
  // The clock of this machine may be slow; it must not hide the last day of the service.
  const today = Math.max(Date.now(), latest === undefined ? 0 : Date.parse(latest))
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{texts.usage}</h2>
      <ColumnChart
        title={texts.usageTitle(chartDays)}
        unit={texts.day}
        series={operations.map((operation) => texts.operations[operation])}
        columns={columnsOf(days, today)}
      />
    </section>
  )
}
