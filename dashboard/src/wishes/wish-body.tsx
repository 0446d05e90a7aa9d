import { lazy } from 'react'
import { useMayManage } from '../api/session-store.ts'
import type { WishDetail } from '../api/types.ts'
import { ColumnChart } from '../charts/column-chart.tsx'
import { topicAddress } from '../shell/addresses.ts'
import { Aside } from '../shell/aside.tsx'
import { ago, date, dateAndTime, number, platformTitle, utcPeriod } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { counts, ownAsks } from '../texts/counts.ts'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { MarkBar } from './mark-bar.tsx'
import { Members } from './members.tsx'
import { PossiblySame } from './possibly-same.tsx'
import { measuredVotes } from './sparkline.tsx'
import { TakeAlong } from './take-along.tsx'
import { useTrends } from './use-rows.ts'
import type { useWish } from './use-wish.ts'

const Corrections = lazy(() => import('./corrections.tsx'))
const WishPushes = lazy(() => import('../pushes/wish-pushes.tsx'))

interface WishBodyProps {
  wish: WishDetail
  query: ReturnType<typeof useWish>
}

/** Everything about a wish: what one can say of it, its numbers, who asks for it, and what may be the same. */
export function WishBody({ wish, query }: WishBodyProps) {
  const mayManage = useMayManage()
  return (
    <>
      <Figures wish={wish} />
      <MarkBar key={wish.wishId} wish={wish} />
      <TakeAlong wish={wish} />
      {mayManage && (
        <Aside>
          <WishPushes wishId={wish.wishId} />
        </Aside>
      )}
      <Aside>
        <Corrections wish={wish} />
      </Aside>
      <Members wish={wish} query={query} />
      <PossiblySame wish={wish} />
      <History wish={wish} />
      <Topics wish={wish} />
    </>
  )
}

/** One line of numbers, and who counts what as a vote. */
function Figures({ wish }: { wish: WishDetail }) {
  const {
    votes,
    requestCount,
    own,
    voices,
    crossPosts,
    votesByPlatform,
    status,
    statuses,
    mark,
    firstAskedAt,
    lastAskedAt,
    growth,
  } = wish
  const kinds = votesByPlatform.flatMap(({ platform, votesAre }) =>
    votesAre ? [`${platformTitle(platform)}, ${votesAre}`] : [],
  )
  return (
    <>
      <p className="wish-figures">
        <strong>{counts.votes(votes)}</strong>
        <span>{counts.requests(requestCount)}</span>
        {own && <span title={texts.ownAre}>{ownAsks(own)}</span>}
        {requestCount > 1 && <span title={texts.voicesAre}>{counts.voices(voices)}</span>}
        {crossPosts > 0 && <span title={texts.crossPostsAre}>{texts.crossPosts(crossPosts)}</span>}
        <State wish={wish} />
        <time dateTime={firstAskedAt} title={dateAndTime(firstAskedAt)}>
          {texts.firstAskedAgo(ago(firstAskedAt))}
        </time>
        {requestCount > 1 && (
          <time dateTime={lastAskedAt} title={dateAndTime(lastAskedAt)}>
            {texts.lastAskedAgo(ago(lastAskedAt))}
          </time>
        )}
        <span title={texts.gained7}>{texts.grewIn7(growth.days7)}</span>
      </p>
      {(statuses.length > 1 || (mark?.mark && status !== null)) && (
        <p className="note">
          {texts.atSources(statuses.map(({ status: one, requests }) => texts.statusCount(one, requests)))}
        </p>
      )}
      {kinds.length > 0 && <p className="note">{texts.votesAre(kinds)}</p>}
      {wish.isMergedByModel && <p className="note">{texts.isMergedByModel}</p>}
    </>
  )
}

/** One word of its state: what the account decided, else what its sources say. */
function State({ wish: { mark, status } }: { wish: WishDetail }) {
  if (mark?.mark) {
    return (
      <span className={`badge mark-${mark.mark}`} title={texts.markedBy}>
        {texts.marks[mark.mark]}
      </span>
    )
  }
  return status === null ? null : <span className={`badge status-${status}`}>{texts.statusOf(status)}</span>
}

/** How the votes grew, and when it was asked for. */
function History({ wish: { wishId, timeline, requestCount } }: { wish: WishDetail }) {
  const trend = useTrends([wishId], 52).get(wishId)
  const shown = trend ? measuredVotes(trend) : []
  const weekOf = (at: number) => ago(new Date(Date.now() - (shown.length - 1 - at) * 7 * 86_400_000).toISOString())
  return (
    <section aria-labelledby="history">
      <h3 id="history">{texts.history}</h3>
      {trend && (
        <p className="note">
          {trend.measuredSince === null ? texts.notMeasured : texts.measuredSince(date(trend.measuredSince))}
        </p>
      )}
      <div className="chart-pair">
        {shown.length > 1 && (
          <ColumnChart
            title={texts.votesOverTime}
            unit={texts.week}
            series={[texts.votes]}
            columns={shown.map((votes, at) => ({ name: weekOf(at), values: [votes] }))}
            isLevel
          />
        )}
        {requestCount > 1 && (
          <ColumnChart
            title={texts.overTime}
            unit={texts.from}
            series={[texts.requests]}
            columns={timeline.map(({ from, requests }, at) => ({
              name: utcPeriod(from, timeline[at + 1]?.from),
              values: [requests],
            }))}
          />
        )}
      </div>
    </section>
  )
}

function Topics({ wish: { topics } }: { wish: WishDetail }) {
  if (topics.length === 0) return null
  return (
    <section aria-labelledby="topics">
      <h3 id="topics">{texts.topics}</h3>
      <ul className="tags">
        {topics.map(({ topic, requests }) => (
          <li key={topic}>
            <Link className="tag" href={topicAddress(topic)}>
              <bdi>{topic}</bdi> {number(requests)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
