import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { RequestRecord, WishDetail } from '../api/types.ts'
import { BarList } from '../charts/bar-list.tsx'
import { ColumnChart } from '../charts/column-chart.tsx'
import { Marks, Origin, SourceLink, Votes } from '../search/request-parts.tsx'
import { ShareLink } from '../search/share-link.tsx'
import { topicAddress, wishAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, number, percent, platformTitle, utcDay } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts } from '../texts/search.ts'
import { wishTexts as texts } from '../texts/wishes.ts'

/** A wish: its numbers, the requests that they count, and what is possibly the same. */
export function WishPage({ wishId }: { wishId: string }) {
  const owner = useOwner()
  const query = useInfiniteQuery({
    queryKey: [owner, 'wishes', wishId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/v1/wishes/{wishId}', { params: { path: { wishId }, query: pageAt(pageParam) }, signal })),
    getNextPageParam: ({ members }) => (members.hasMore ? members.cursor : undefined) ?? undefined,
  })
  const { data, error, refetch } = query
  const wish = data?.pages[0]
  if (!data || !wish) {
    return (
      <Page title={texts.loadingTitle}>{error === null ? <Loading /> : <Problem error={error} retry={refetch} />}</Page>
    )
  }
  // A request that got votes meanwhile may be in two pages: it is shown once.
  const members = [...new Map(data.pages.flatMap((page) => page.members.results).map((one) => [one._id, one])).values()]
  return (
    <Page title={wish.title} intro={texts.intro(wish.requestCount)} actions={<ShareLink />}>
      <Figures wish={wish} />
      <VoteKinds platforms={wish.votesByPlatform} />
      {wish.isMergedByModel && <p className="note">{texts.isMergedByModel}</p>}
      <Charts wish={wish} />
      <section aria-labelledby="members">
        <h2 id="members">{texts.members}</h2>
        <ol className="wishes">
          {members.map((request) => (
            <Member key={request._id} request={request} />
          ))}
        </ol>
        <MoreButton query={query} />
      </section>
      <PossiblySame wish={wish} />
      <Topics wish={wish} />
    </Page>
  )
}

const Figures = ({ wish }: { wish: WishDetail }) => (
  <dl className="figures">
    <div>
      <dt>{texts.requests}</dt>
      <dd>{number(wish.requestCount)}</dd>
    </div>
    <div>
      <dt>{texts.votes}</dt>
      <dd>{number(wish.votes)}</dd>
    </div>
    <div>
      <dt>{texts.status}</dt>
      <dd>
        {texts.statusOf(wish.status)}
        {wish.statuses.length > 1 && (
          <span className="note">
            {wish.statuses.map(({ status, requests }) => texts.statusCount(status, requests)).join(', ')}
          </span>
        )}
      </dd>
    </div>
    {wish.requestCount > 1 && wish.largestShare !== null && (
      <div>
        <dt>{texts.largestShare}</dt>
        <dd>{percent(wish.largestShare)}</dd>
      </div>
    )}
    <Moment name={texts.firstAsked} moment={wish.firstAskedAt} />
    {wish.requestCount > 1 && <Moment name={texts.lastAsked} moment={wish.lastAskedAt} />}
    <div>
      <dt>{texts.gained7}</dt>
      <dd>{texts.gained(wish.growth.days7)}</dd>
    </div>
    <div>
      <dt>{texts.gained30}</dt>
      <dd>{texts.gained(wish.growth.days30)}</dd>
    </div>
  </dl>
)

const Moment = ({ name, moment }: { name: string; moment: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <time dateTime={moment} title={dateAndTime(moment)}>
        {ago(moment)}
      </time>
    </dd>
  </div>
)

/** One request has nothing to compare. */
function Charts({ wish }: { wish: WishDetail }) {
  if (wish.requestCount === 1) return null
  return (
    <div className="chart-pair">
      <ColumnChart
        title={texts.overTime}
        unit={texts.from}
        series={[texts.requests]}
        columns={wish.timeline.map(({ from, requests }) => ({ name: utcDay(from), values: [requests] }))}
      />
      <BarList
        title={texts.byPlatform}
        unit={texts.platform}
        columns={[texts.votes, texts.requests]}
        bars={wish.votesByPlatform.map(({ platform, requests, votes }) => ({
          name: platformTitle(platform),
          values: [votes, requests],
        }))}
      />
      {wish.products.length > 1 && (
        <BarList
          title={texts.byProduct}
          unit={texts.product}
          columns={[texts.votes, texts.requests]}
          bars={wish.products.map(({ product, requests, votes }) => ({ name: product, values: [votes, requests] }))}
        />
      )}
    </div>
  )
}

/** What a vote is on each of some platforms. */
export function VoteKinds({ platforms }: { platforms: { platform: string; votesAre: string | null }[] }) {
  const kinds = platforms.flatMap(({ platform, votesAre }) =>
    votesAre ? [`${platformTitle(platform)}, ${votesAre}`] : [],
  )
  return kinds.length === 0 ? null : <p className="note">{texts.votesAre(kinds)}</p>
}

const Member = ({ request }: { request: RequestRecord }) => (
  <li className="result">
    <Votes votes={request.votes} />
    <div className="result-body">
      <h3 dir="auto">
        <SourceLink request={request}>{request.title}</SourceLink>
      </h3>
      <Marks request={request} />
      {request.description !== '' && (
        <p className="description-start" dir="auto">
          {request.description}
        </p>
      )}
      <Origin request={request} />
    </div>
  </li>
)

function PossiblySame({ wish: { possiblySame } }: { wish: WishDetail }) {
  if (possiblySame.length === 0) return null
  return (
    <section aria-labelledby="possibly-same">
      <h2 id="possibly-same">{texts.possiblySame}</h2>
      <p className="note">{texts.possiblySameIntro}</p>
      <ol className="wishes">
        {possiblySame.map(({ wishId, title, votes, requestCount, platforms, similarity }) => (
          <li key={wishId} className="result">
            <Votes votes={votes} />
            <div className="result-body">
              <h3 dir="auto">
                <Link href={wishAddress(wishId)}>{title}</Link>{' '}
                <span className="similarity">{searchTexts.similarity(similarity)}</span>
              </h3>
              <p className="note">{texts.together(requestCount, platforms.map(platformTitle))}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Topics({ wish: { topics } }: { wish: WishDetail }) {
  if (topics.length === 0) return null
  return (
    <section aria-labelledby="topics">
      <h2 id="topics">{texts.topics}</h2>
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
