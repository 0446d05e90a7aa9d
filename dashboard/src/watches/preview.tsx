import type { RunTerms, WatchPreview } from '../api/types.ts'
import { momentIn } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { usePreview } from './use-preview.ts'

/** What a draft of a watch means: when it runs next, and what it costs at most. */
export function LivePreview({ terms }: { terms: RunTerms | null }) {
  const { data, error, isBehind, refetch } = usePreview(terms)
  return (
    <section className="watch-preview" aria-label={texts.previewTitle} aria-busy={terms !== null && isBehind}>
      <h2>{texts.previewTitle}</h2>
      {terms === null ? (
        <p className="note">{texts.previewOff}</p>
      ) : data && error === null ? (
        <Preview preview={data} timezone={terms.timezone} budget={terms.monthlyCredits} />
      ) : error !== null && !isBehind ? (
        <Problem error={error} retry={refetch} />
      ) : (
        <p className="note">{texts.previewLoading}</p>
      )}
    </section>
  )
}

interface PreviewProps {
  preview: WatchPreview
  timezone: string
  /** Credits a month; undefined while it is not known. */
  budget: number | undefined
}

/** The next runs and the month, in sentences and a list. */
export const Preview = ({ preview, timezone, budget }: PreviewProps) => (
  <>
    <MonthCost preview={preview} budget={budget} />
    <NextRuns runs={preview.runs} timezone={timezone} />
  </>
)

function MonthCost({ preview: { month, runs }, budget }: Omit<PreviewProps, 'timezone'>) {
  const perRun = runs[0]?.maxCredits ?? 0
  const suffices = month.paidRuns >= month.runs
  return (
    <p role="status">
      <strong>{texts.monthCost(month.maxCredits)}</strong> {texts.runsAMonth(month.runs, perRun)}{' '}
      {budget !== undefined && (
        <span className={suffices ? 'note' : 'note warned'}>
          {suffices ? texts.budgetSuffices(budget) : texts.budgetEnds(budget, month.paidRuns)}
        </span>
      )}{' '}
      <span className="note">{texts.costNote}</span>
    </p>
  )
}

export const NextRuns = ({ runs, timezone }: { runs: WatchPreview['runs']; timezone: string }) => (
  <div>
    <p className="note">
      {texts.nextRuns} · {texts.timesIn(timezone)}
    </p>
    <ol className="next-runs">
      {runs.map(({ at, maxCredits }) => (
        <li key={at}>
          <time dateTime={at}>{momentIn(at, timezone)}</time>
          <span className="note">{texts.runCost(maxCredits)}</span>
        </li>
      ))}
    </ol>
  </div>
)
