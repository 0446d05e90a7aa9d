import type { ListedWatch, WatchRun } from '../api/types.ts'
import { ago, dateAndTime } from '../shell/format.ts'
import { watchTexts as texts } from '../texts/watches.ts'

export const StateBadge = ({ state }: { state: ListedWatch['state'] }) => (
  <span className={`badge ${state === 'active' ? 'done' : 'waiting'}`}>{texts.state[state]}</span>
)

/** The credits of the month, of the budget. */
export function Spent({ watch: { usedThisMonth, monthlyCredits } }: { watch: ListedWatch }) {
  const text = texts.budgetUsed(usedThisMonth, monthlyCredits)
  return (
    <div className="watch-spent">
      <meter
        min={0}
        max={monthlyCredits}
        low={monthlyCredits * 0.8}
        high={monthlyCredits * 0.95}
        optimum={0}
        value={Math.min(usedThisMonth, monthlyCredits)}
        aria-label={texts.spentLabel(text)}
      />
      <span className="note" title={texts.spent}>
        {text}
      </span>
    </div>
  )
}

/** What the last run came to, in a few words. */
export function LastRun({ run }: { run: WatchRun | null }) {
  if (run === null) return <span>{texts.neverRan}</span>
  const isIncomplete = run.status === 'completed' && run.problems.length > 0
  const said =
    run.skipped !== null
      ? texts.skippedBrief(ago(run.dueAt))
      : run.status === 'completed'
        ? texts[isIncomplete ? 'ranInPart' : 'ran'](ago(run.dueAt))
        : run.status === 'failed'
          ? texts.failed(ago(run.dueAt))
          : texts.runsNow
  return (
    <time
      dateTime={run.dueAt}
      title={run.skipped === null ? dateAndTime(run.dueAt) : texts.skipped[run.skipped]}
      className={run.skipped !== null || run.status === 'failed' || isIncomplete ? 'warned' : undefined}
    >
      {said}
    </time>
  )
}
