import { useId, useState } from 'react'
import type { NewsItem, NewsSection, WatchNews } from '../api/types.ts'
import { watchAddress } from '../shell/addresses.ts'
import { dateAndTime, number } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { newsTexts as texts } from '../texts/later/news.ts'
import { viewTexts } from '../texts/views.ts'
import { NewsLine } from './news-item.tsx'
import { sections } from './use-news.ts'

/** So many of a section are shown at first: the news are read in seconds. */
const shownAtFirst = 5

interface WatchNewsCardProps {
  news: WatchNews
  /** Whether it was marked as read since the page was opened. */
  isRead: boolean
  isMarking: boolean
  /** Null for a session that may not mark. */
  onRead: (() => void) | null
}

/** The news of one watch, what is wanted more than before first. */
export function WatchNewsCard({ news, isRead, isMarking, onRead }: WatchNewsCardProps) {
  const id = useId()
  return (
    <section className={isRead ? 'watch-news read' : 'watch-news'} aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id} dir="auto">
          <Link href={watchAddress(news.watchId)}>{news.watchName}</Link>
        </h2>
        {!isRead && onRead && (
          <button type="button" aria-label={texts.readLabel(news.watchName)} disabled={isMarking} onClick={onRead}>
            {isMarking ? texts.marking : texts.read}
          </button>
        )}
      </div>
      <p className="note" role={isRead ? 'status' : undefined}>
        {isRead
          ? texts.isRead
          : news.hasFirst
            ? texts.first
            : news.readUntil === null
              ? texts.never
              : texts.since(dateAndTime(news.readUntil))}
      </p>
      {news.topicRise !== null && (
        <p className="note">
          <strong>{texts.topicRise(news.topicRise.voices)}</strong> {texts.riseOf(news.topicRise)}
        </p>
      )}
      <NewsLists news={news} />
    </section>
  )
}

/** The lists of the news of a watch; what does not fit its goal is folded. */
export const NewsLists = ({ news }: { news: WatchNews }) => (
  <>
    {sections.map((section) => news[section].length > 0 && <NewsList key={section} section={section} news={news} />)}
    {news.other.length > 0 && (
      <>
        <h3 className="unseen">{texts.kinds.other}</h3>
        <details className="other-news">
          <summary>{texts.other(news.totals.other)}</summary>
          {news.goal !== null && (
            <p className="note">
              {texts.goal} <bdi>{viewTexts.words(news.goal)}</bdi>
            </p>
          )}
          <ol className="wishes">
            {news.other.map((item) => (
              <NewsLine key={item.wishId} item={item} section={item.votesGained > 0 ? 'grown' : 'other'} />
            ))}
          </ol>
          <Cut shown={news.other.length} total={news.totals.other} />
        </details>
      </>
    )}
  </>
)

function NewsList({ section, news }: { section: Exclude<NewsSection, 'other'>; news: WatchNews }) {
  const [isWhole, setWhole] = useState(false)
  const items: NewsItem[] = news[section]
  const shown = isWhole ? items : items.slice(0, shownAtFirst)
  const total = news.totals[section]
  return (
    <>
      <h3 className={`news-kind ${section}`}>
        {texts.kinds[section]} <span className="badge">{number(total)}</span>
      </h3>
      <ol className="wishes">
        {shown.map((item) => (
          <NewsLine key={item.wishId} item={item} section={section} />
        ))}
      </ol>
      {items.length > shownAtFirst && (
        <button type="button" className="as-link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.showFewer : texts.showAll(items.length)}
        </button>
      )}
      {(isWhole || items.length <= shownAtFirst) && <Cut shown={items.length} total={total} />}
    </>
  )
}

const Cut = ({ shown, total }: { shown: number; total: number }) =>
  shown < total && <p className="note">{texts.cut(shown, total)}</p>
