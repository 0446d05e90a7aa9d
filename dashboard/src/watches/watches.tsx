import type { ListedWatch, WatchRun } from '../api/types.ts'
import { NoWatches } from '../news/news.tsx'
import { channelsAddress, newWatch, watchAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, inHowLong, platformTitle } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { channelTexts } from '../texts/channels.ts'
import { watchTexts as texts } from '../texts/watches.ts'
import { useWatches } from './use-watches.ts'

/** Every watch of the account, with what it does and what it spends. */
export function WatchesPage() {
  const { data, error, refetch } = useWatches()
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <Link className="button" href={channelsAddress}>
            {channelTexts.title}
          </Link>
          <Link className="button primary" href={newWatch()}>
            {texts.make}
          </Link>
        </>
      }
    >
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <NoWatches />}
      {data && data.length > 0 && (
        <ul className="topics watches">
          {data.map((watch) => (
            <WatchLine key={watch.watchId} watch={watch} />
          ))}
        </ul>
      )}
    </Page>
  )
}

const WatchLine = ({ watch }: { watch: ListedWatch }) => (
  <li>
    <div className="watch-what">
      <p className="watch-name">
        <Link href={watchAddress(watch.watchId)} className="topic-name" dir="auto">
          {watch.name}
        </Link>{' '}
        <StateBadge state={watch.state} />
      </p>
      <p className="origin">
        {watch.topic !== watch.name && <bdi>{watch.topic}</bdi>}
        <span>{texts.schedule(watch.schedule)}</span>
        <span>{watch.platforms.map(platformTitle).join(', ')}</span>
      </p>
      <p className="origin">
        <LastRun run={watch.lastRun} />
        {watch.nextRunAt !== null && (
          <time dateTime={watch.nextRunAt} title={dateAndTime(watch.nextRunAt)}>
            {texts.next(inHowLong(watch.nextRunAt))}
          </time>
        )}
      </p>
    </div>
    <Spent watch={watch} />
  </li>
)

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
  const said =
    run.skipped !== null
      ? texts.skippedBrief(ago(run.dueAt))
      : run.status === 'completed'
        ? texts.ranWith(ago(run.dueAt), run.requestsCreated)
        : run.status === 'failed'
          ? texts.failed(ago(run.dueAt))
          : texts.runsNow
  return (
    <time
      dateTime={run.dueAt}
      title={run.skipped === null ? dateAndTime(run.dueAt) : texts.skipped[run.skipped]}
      className={run.skipped !== null || run.status === 'failed' ? 'warned' : undefined}
    >
      {said}
    </time>
  )
}
