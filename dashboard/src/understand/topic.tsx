import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { TopicPage, TopicWish } from '../api/types.ts'
import { BarList } from '../charts/bar-list.tsx'
import { ColumnChart } from '../charts/column-chart.tsx'
import { FeedButton } from '../feeds/feed-button.tsx'
import { Marks, Origin, Votes } from '../search/request-parts.tsx'
import { filteredSearch, newCollection, newWatch, topicsAddress, wishAddress } from '../shell/addresses.ts'
import { ago, number, percent, platformTitle, plural, signed, utcDay } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, useAddress } from '../shell/router.tsx'
import { searchTexts } from '../texts/search.ts'
import { topicTexts as texts } from '../texts/topics.ts'
import { watchTexts } from '../texts/watches.ts'
import { VoteKinds } from './wish.tsx'

/** A topic: its figures, its growth and its most wanted wishes. */
export function TopicPageView() {
  const topic = useAddress().searchParams.get('topic') ?? ''
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'topics', 'one', topic],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/topics/{topic}', { params: { path: { topic } }, signal })),
  })
  return (
    <Page title={data?.topic ?? topic} actions={<TopicActions topic={data?.topic ?? topic} />}>
      <p className="crumb">
        <Link href={topicsAddress}>{texts.all}</Link>
      </p>
      {data ? <Understanding topic={data} /> : error === null ? <Loading /> : <Problem error={error} retry={refetch} />}
    </Page>
  )
}

const TopicActions = ({ topic }: { topic: string }) => (
  <>
    <Link className="button" href={filteredSearch({ topic })}>
      {texts.seeAll}
    </Link>
    <Link className="button" href={newCollection({ topic })}>
      {texts.collectAgain}
    </Link>
    <Link className="button" href={newWatch({ topic })}>
      {watchTexts.watchThis}
    </Link>
    <FeedButton target={{ kind: 'topic', topic }} />
  </>
)

const Understanding = ({ topic }: { topic: TopicPage }) => (
  <>
    <Figures topic={topic} />
    <Charts topic={topic} />
    <Breakdown topic={topic} />
    <section aria-labelledby="wishes">
      <h2 id="wishes">{texts.wishes}</h2>
      <p className="note">{texts.wishesIntro}</p>
      <ol className="wishes">
        {topic.wishes.map((wish) => (
          <WishCard key={wish.wishId} wish={wish} />
        ))}
      </ol>
    </section>
    <Tags topic={topic} />
  </>
)

const Figures = ({ topic }: { topic: TopicPage }) => (
  <dl className="figures">
    <div>
      <dt>{texts.requests}</dt>
      <dd>{number(topic.requests)}</dd>
    </div>
    <div>
      <dt>{texts.votes}</dt>
      <dd>{number(topic.votes)}</dd>
    </div>
    {topic.maybeRequests > 0 && (
      <div>
        <dt>{texts.maybeRequests}</dt>
        <dd>
          <Link href={filteredSearch({ topic: topic.topic, include: 'maybe' })}>{number(topic.maybeRequests)}</Link>
        </dd>
      </div>
    )}
    <div>
      <dt>{texts.days7}</dt>
      <dd>{signed(topic.growth.days7)}</dd>
    </div>
    <div>
      <dt>{texts.days30}</dt>
      <dd>{signed(topic.growth.days30)}</dd>
    </div>
    {topic.breakdown.largest && (
      <div>
        <dt>{texts.largestShare}</dt>
        <dd>{percent(topic.breakdown.largest.share)}</dd>
      </div>
    )}
    <div>
      <dt>{texts.lastCollected}</dt>
      <dd>{topic.lastCollectedAt ? ago(topic.lastCollectedAt) : '–'}</dd>
    </div>
  </dl>
)

const Charts = ({ topic }: { topic: TopicPage }) => (
  <div className="chart-pair">
    <ColumnChart
      title={texts.overTime}
      unit={texts.from}
      series={[texts.requests]}
      columns={topic.timeline.map(({ from, requests }) => ({ name: utcDay(from), values: [requests] }))}
    />
    <BarList
      title={texts.byPlatform}
      unit={texts.platform}
      columns={[texts.requests, texts.votes]}
      bars={topic.platforms.map(({ platform, requests, votes }) => ({
        name: platformTitle(platform),
        values: [requests, votes],
      }))}
    />
  </div>
)

/** What is done, and where: in which products. */
const Breakdown = ({ topic: { requests, breakdown, platforms } }: { topic: TopicPage }) => (
  <>
    <VoteKinds platforms={platforms} />
    <div className="chart-pair">
      {breakdown.statuses.length > 0 && (
        <BarList
          title={texts.byStatus}
          unit={texts.status}
          columns={[texts.requests, texts.votes]}
          bars={breakdown.statuses.map(({ status, requests: counted, votes }) => ({
            name: searchTexts.status(status),
            values: [counted, votes],
          }))}
        />
      )}
      {breakdown.products.length > 0 && (
        <BarList
          title={texts.byProduct}
          unit={texts.product}
          columns={[texts.requests, texts.votes]}
          bars={breakdown.products.map(({ product, requests: counted, votes }) => ({
            name: product,
            values: [counted, votes],
          }))}
        />
      )}
    </div>
    {breakdown.counted < requests && <p className="note">{texts.mostVoted(number(breakdown.counted))}</p>}
  </>
)

const WishCard = ({ wish: { wishId, request, votes, requests, platforms, status } }: { wish: TopicWish }) => (
  <li className="result">
    <Votes votes={votes} />
    <div className="result-body">
      <h3 dir="auto">
        <Link href={wishAddress(wishId)}>{request.title}</Link>
      </h3>
      <Marks request={{ ...request, ...(status === request.status ? {} : { status, statusChangedAt: null }) }} />
      {requests > 1 && <p className="note">{texts.together(requests, platforms.map(platformTitle))}</p>}
      <Origin request={request} />
    </div>
  </li>
)

function Tags({ topic: { topic, tags } }: { topic: TopicPage }) {
  if (tags.length === 0) return null
  return (
    <section aria-labelledby="tags">
      <h2 id="tags">{texts.tags}</h2>
      <ul className="tags">
        {tags.map(({ tag, requests }) => (
          <li key={tag}>
            <Link
              className="tag"
              href={filteredSearch({ topic, tag })}
              aria-label={texts.tagLabel(tag, plural(requests, 'request'))}
            >
              <bdi>{tag}</bdi> {number(requests)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
