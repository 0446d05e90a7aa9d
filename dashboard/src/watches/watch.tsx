import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Watch } from '../api/types.ts'
import { useChannels } from '../channels/use-channels.ts'
import { nameOfKind } from '../news/told-kinds.tsx'
import { topicAddress, watchesAddress } from '../shell/addresses.ts'
import { conjunction, inHowLong, number, platformTitle } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, useAddress } from '../shell/router.tsx'
import { counts } from '../texts/counts.ts'
import { channelTexts } from '../texts/later/channels.ts'
import { newsTexts } from '../texts/later/news.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { ChangeWatch } from './change-watch.tsx'
import { Preview } from './preview.tsx'
import { Runs } from './runs.tsx'
import { isRunning, runningMs, watchesKey } from './use-watches.ts'
import { Asking, RemoveWatch, WatchActions } from './watch-actions.tsx'
import { LastRun, Spent, StateBadge } from './watch-parts.tsx'

/** One watch: what it does, when it runs, what it spends, and what its runs came to. */
export function WatchPage({ watchId }: { watchId: string }) {
  const owner = useOwner()
  const isChanging = useAddress().searchParams.has('change')
  const { data, error, refetch } = useQuery({
    queryKey: [...watchesKey(owner), 'one', watchId],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/watches/{watchId}', { params: { path: { watchId } }, signal })),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? runningMs : false),
  })
  if (!data) {
    return <Page title={texts.one}>{error === null ? <Loading /> : <Problem error={error} retry={refetch} />}</Page>
  }
  if (isChanging) return <ChangeWatch watch={data} />
  return (
    <Page title={data.name} actions={<WatchActions watch={data} />}>
      <p className="crumb">
        <Link href={watchesAddress}>{texts.all}</Link>
      </p>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data.state === 'asking' && <Asking watch={data} />}
      <Figures watch={data} />
      {data.state === 'paused' && <p className="note">{texts.pausedNote}</p>}
      <div className="chart-pair">
        <About watch={data} />
        {data.state === 'active' && <Plan watch={data} />}
      </div>
      <Runs watchId={data.watchId} />
      <RemoveWatch watch={data} />
    </Page>
  )
}

const Figures = ({ watch }: { watch: Watch }) => (
  <dl className="figures">
    <Figure name={texts.stateName} value={<StateBadge state={watch.state} />} />
    <Figure
      name={texts.nextRun}
      value={
        watch.nextRunAt === null ? (
          texts.notPlanned
        ) : (
          <time dateTime={watch.nextRunAt}>{inHowLong(watch.nextRunAt)}</time>
        )
      }
    />
    <Figure name={texts.lastRun} value={<LastRun run={watch.lastRun} />} />
    <div className="wide">
      <dt>{texts.spent}</dt>
      <dd>
        <Spent watch={watch} />
      </dd>
    </div>
  </dl>
)

const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const About = ({ watch }: { watch: Watch }) => {
  const sources = Object.values(watch.sources ?? {}).flat()
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">{texts.about}</h2>
      <dl className="facts">
        <dt>{texts.topic}</dt>
        <dd>
          <Link href={topicAddress(watch.topic)} dir="auto">
            {watch.topic}
          </Link>
        </dd>
        {watch.goal !== null && (
          <>
            <dt>{texts.goalName}</dt>
            <dd dir="auto">
              {watch.goal}
              {watch.goalIsCompared === false && <span className="note warned"> {texts.goalNotCompared}</span>}
            </dd>
          </>
        )}
        <dt>{texts.platforms}</dt>
        <dd>{conjunction(watch.platforms.map(platformTitle))}</dd>
        {sources.length > 0 && (
          <>
            <dt>{texts.sources}</dt>
            <dd>
              <bdi>{sources.join(', ')}</bdi>
            </dd>
          </>
        )}
        <dt>{texts.depth}</dt>
        <dd>{counts.pages(watch.depth)}</dd>
        <dt>{texts.howOften}</dt>
        <dd>
          {texts.schedule(watch.schedule)} <span className="note">({watch.timezone})</span>
        </dd>
        <dt>{texts.budgetName}</dt>
        <dd>{texts.creditsAMonth(number(watch.monthlyCredits))}</dd>
        <dt>{texts.tells}</dt>
        <dd>
          <Told watch={watch} />
          {watch.mutedNews.length > 0 && (
            <span className="note"> {newsTexts.muted(watch.mutedNews.map(nameOfKind).join(', '))}</span>
          )}
        </dd>
      </dl>
    </section>
  )
}

/** The channels that are told, by name. */
function Told({ watch }: { watch: Watch }) {
  const { data } = useChannels()
  if (watch.channelIds.length === 0) return texts.tellsPage
  const named = data?.results.filter(({ channelId }) => watch.channelIds.includes(channelId))
  if (named === undefined) return counts.channels(watch.channelIds.length)
  return (
    <ul>
      {named.map(({ channelId, name, type, state }) => (
        <li key={channelId}>
          <bdi>{name}</bdi> <span className="note">{channelTexts.types[type]}</span>{' '}
          {state !== 'active' && <span className="badge waiting">{channelTexts.state[state]}</span>}
        </li>
      ))}
    </ul>
  )
}

const Plan = ({ watch }: { watch: Watch }) => (
  <section className="card watch-preview" aria-labelledby="plan">
    <h2 id="plan">{texts.plan}</h2>
    <Preview preview={watch.preview} timezone={watch.timezone} budget={watch.monthlyCredits} />
  </section>
)
