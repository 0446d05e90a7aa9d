import type { NewsItem, NewsSection } from '../api/types.ts'
import { wishAddress } from '../shell/addresses.ts'
import { number, platformTitle, signed } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { newsTexts as texts } from '../texts/later/news.ts'
import { searchTexts } from '../texts/search.ts'

/** A wish in the news: first what changed, then what it is. */
export const NewsLine = ({ item, section }: { item: NewsItem; section: NewsSection }) => (
  <li className="result">
    <Change item={item} section={section} />
    <div className="result-body">
      <h4 dir="auto">
        <Link href={wishAddress(item.wishId)}>{item.title}</Link>
      </h4>
      <p className="origin">
        {item.status !== null && item.status !== 'open' && (
          <span className={`badge status-${item.status}`}>{searchTexts.status(item.status)}</span>
        )}
        {section === 'rising' && item.rise !== null && <span>{texts.riseOf(item.rise)}</span>}
        {section === 'grown' && <span>{texts.inAll(item.votes)}</span>}
        {item.requestsGained > 0 && section === 'grown' && <span>{texts.requestsGained(item.requestsGained)}</span>}
        {section !== 'grown' && section !== 'rising' && item.votesGained > 0 && item.votesGained !== item.votes && (
          <span>{texts.justGained(item.votesGained)}</span>
        )}
        <span>{item.platforms.map(platformTitle).join(', ')}</span>
      </p>
    </div>
  </li>
)

/** The figure of a line: who asks for a wish that rises, what was gained by one that grew, else the votes that it has. */
function Change({
  item: { votes, votesGained, requestsGained, rise },
  section,
}: {
  item: NewsItem
  section: NewsSection
}) {
  if (section === 'rising' && rise !== null) {
    return (
      <p className="votes gained">
        <strong>{number(rise.voices)}</strong>
        <span>{texts.people(rise.voices)}</span>
      </p>
    )
  }
  if (section !== 'grown') {
    return (
      <p className="votes">
        <strong>{number(votes)}</strong>
        <span>{searchTexts.votes(votes)}</span>
      </p>
    )
  }
  const isByVotes = votesGained > 0
  return (
    <p className="votes gained">
      <strong>{signed(isByVotes ? votesGained : requestsGained)}</strong>
      <span>{isByVotes ? texts.gained(votesGained) : texts.asking(requestsGained)}</span>
    </p>
  )
}
