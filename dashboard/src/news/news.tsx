import { useMayChange } from '../api/session-store.ts'
import type { WatchNews } from '../api/types.ts'
import { newWatch, watchAddress, watchesAddress } from '../shell/addresses.ts'
import { number } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { newsTexts as texts } from '../texts/later/news.ts'
import { watchPageTexts as watchTexts } from '../texts/later/watch-pages.ts'
import { hasNews, newsCount, sections, useMarking, useNews } from './use-news.ts'
import { WatchNewsCard } from './watch-news.tsx'

/** What is new in the watches of the account since it last said that it has read it. */
export function NewsPage() {
  const news = useNews()
  const watches = news.data?.pages.flatMap((page) => page.results) ?? []
  const withNews = watches.filter(hasNews).toSorted((one, other) => newsCount(other) - newsCount(one))
  const { read, marking } = useMarking(withNews)
  const mayMark = useMayChange()
  const isAllRead = withNews.length > 0 && withNews.every(({ watchId }) => read.has(watchId))
  const canMarkAll = mayMark && withNews.length > 1 && !news.hasNextPage && !isAllRead
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        canMarkAll && (
          <button type="button" disabled={marking.isPending} onClick={() => marking.mutate(null)}>
            {marking.isPending && marking.variables === null ? texts.marking : texts.readAll}
          </button>
        )
      }
    >
      {!news.data && (news.error === null ? <Loading /> : <Problem error={news.error} retry={news.refetch} />)}
      {marking.error !== null && (
        <Problem error={marking.error} retry={() => marking.mutate(marking.variables ?? null)} />
      )}
      {news.data && watches.length === 0 && <NoWatches />}
      {withNews.length > 0 && <Summary watches={withNews} />}
      {withNews.map((one) => (
        <WatchNewsCard
          key={one.watchId}
          news={one}
          isRead={read.has(one.watchId)}
          isMarking={marking.isPending && (marking.variables ?? one.watchId) === one.watchId}
          onRead={mayMark ? () => marking.mutate(one.watchId) : null}
        />
      ))}
      {news.data && watches.length > 0 && <Quiet watches={watches} isAll={withNews.length === 0} />}
      {news.data && <MoreButton query={news} />}
    </Page>
  )
}

/** All of it in a figure for each list; most of the time nothing rises. */
function Summary({ watches }: { watches: WatchNews[] }) {
  const totals = sections.map((section) => ({
    section,
    total: watches.reduce((sum, news) => sum + news.totals[section], 0),
  }))
  return (
    <dl className="figures news-summary">
      {totals
        .filter(({ section, total }) => section !== 'rising' || total > 0)
        .map(({ section, total }) => (
          <div key={section} className={section}>
            <dt>{texts.kinds[section]}</dt>
            <dd>{number(total)}</dd>
          </div>
        ))}
    </dl>
  )
}

function Quiet({ watches, isAll }: { watches: WatchNews[]; isAll: boolean }) {
  const quiet = watches.filter((news) => !hasNews(news))
  if (isAll) {
    return (
      <Empty title={texts.quiet}>
        <p>{texts.quietAdvice}</p>
        <Link className="button" href={watchesAddress}>
          {texts.toWatches}
        </Link>
      </Empty>
    )
  }
  return (
    quiet.length > 0 && (
      <section className="quiet-watches" aria-labelledby="quiet">
        <h2 id="quiet">{texts.quietWatches}</h2>
        <ul className="tags">
          {quiet.map(({ watchId, watchName }) => (
            <li key={watchId}>
              <Link className="tag" href={watchAddress(watchId)}>
                <bdi>{watchName}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )
  )
}

export const NoWatches = () => (
  <Empty title={watchTexts.none}>
    <p>{watchTexts.noneAdvice}</p>
    <Link className="button primary" href={newWatch()}>
      {watchTexts.make}
    </Link>
  </Empty>
)
