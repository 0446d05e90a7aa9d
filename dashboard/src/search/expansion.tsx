import { readPricing } from '../api/pricing.ts'
import type { CollectionError, CollectionProgress, SearchMeta } from '../api/types.ts'
import { topicAddress } from '../shell/addresses.ts'
import { duration, platformTitle } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { collectionKey, useExpansion } from './use-expansion.ts'
import type { View } from './view.ts'

/** Collects the topics around a search live: shows the cost before, the progress while it runs, and the new requests after it. */
export function Expansion({ view }: { view: View }) {
  const price = readPricing().prices.expand
  const expansion = useExpansion(view)
  const { state, topics, collections, meta, error, start, stop } = expansion
  if (state === 'ready') {
    return (
      <div className="expansion">
        <p>{texts.expandIntro}</p>
        <button type="button" onClick={() => void start()}>
          {texts.expand(price)}
        </button>
      </div>
    )
  }
  const shown = topics.length > 0 ? topics : (meta?.expandedTopics ?? [])
  return (
    <section className="expansion running" aria-label={texts.expansionTitle}>
      <p role="status">
        {state === 'running' ? (topics.length === 0 ? texts.findingTopics : texts.collecting(topics.length)) : ''}
        {state === 'done' && meta && summaryOf(meta)}
      </p>
      {shown.length > 0 && (
        <ul className="topic-progress">
          {shown.map((topic) => (
            <TopicProgress
              key={topic}
              topic={topic}
              collections={[...collections.values()].filter((progress) => progress.topic === topic)}
              isOver={state !== 'running'}
            />
          ))}
        </ul>
      )}
      {state === 'done' && <Unfinished errors={meta?.errors ?? []} collections={collections} />}
      {state === 'failed' && <Problem error={error} retry={start} />}
      {state === 'running' && (
        <button type="button" className="quiet" onClick={stop}>
          {texts.stopWaiting}
        </button>
      )}
      {state === 'done' && (
        <button type="button" onClick={() => void start()}>
          {texts.expandAgain(price)}
        </button>
      )}
    </section>
  )
}

const summaryOf = (meta: SearchMeta) =>
  texts.expansionDone({
    newRequests: meta.newResultsFound ?? 0,
    scraped: meta.topicsScraped ?? 0,
    skipped: meta.topicsSkipped ?? 0,
    time: duration(meta.scrapingTimeMs ?? 0),
  })

const marks = {
  waiting: '…',
  later: '↻',
  done: '✓',
  error: '!',
  skipped: '–',
  fresh: '=',
}

interface TopicProgressProps {
  topic: string
  collections: CollectionProgress[]
  /** Whether the search has ended: collections that have not answered by then are stored later. */
  isOver: boolean
}

const TopicProgress = ({ topic, collections, isOver }: TopicProgressProps) => (
  <li>
    {isOver ? (
      <Link className="topic-name" href={topicAddress(topic)} dir="auto">
        {topic}
      </Link>
    ) : (
      <bdi className="topic-name">{topic}</bdi>
    )}
    <span className="platform-states">
      {collections.map(({ platform, state, newRequests }) => {
        const shown = isOver && state === 'waiting' ? 'later' : state
        return (
          <span key={platform} className={`state ${shown}`}>
            <span aria-hidden="true">{marks[shown]}</span> {platformTitle(platform)}
            <span className="unseen">: {texts.collectionState[shown]}</span>
            {newRequests > 0 && ` ${texts.newOnes(newRequests)}`}
          </span>
        )
      })}
    </span>
  </li>
)

interface UnfinishedProps {
  errors: readonly CollectionError[]
  collections: ReadonlyMap<string, CollectionProgress>
}

const namesOf = (errors: readonly CollectionError[]) => [
  ...new Set(errors.map(({ platform }) => platformTitle(platform))),
]

/** What was not collected: the platforms that need longer, in one sentence for all topics, and each failure once. */
function Unfinished({ errors, collections }: UnfinishedProps) {
  const isLate = ({ code, topic, platform }: CollectionError) =>
    code === 'timeout' && (collections.get(collectionKey(topic, platform))?.state ?? 'waiting') === 'waiting'
  const waiting = namesOf(errors.filter(({ resumesAt }) => resumesAt !== undefined))
  // A platform that is late for one topic is late for the others for the same reason.
  const late = namesOf(errors.filter((error) => error.resumesAt === undefined && isLate(error)))
  const slow = late.filter((name) => !waiting.includes(name))
  const failed = errors.filter((error) => error.resumesAt === undefined && !isLate(error))
  const limited = namesOf(failed.filter(({ code }) => code === 'rate_limited'))
  const failures = Map.groupBy(
    failed.filter(({ code }) => code !== 'rate_limited'),
    ({ platform, code }) => `${platform} ${code}`,
  )
  return (
    <>
      {waiting.length > 0 && <p>{texts.waitingPlatforms(waiting)}</p>}
      {slow.length > 0 && <p>{texts.slowPlatforms(slow)}</p>}
      {limited.length > 0 && <p>{texts.limitedPlatforms(limited)}</p>}
      {failures.size > 0 && (
        <ul className="collection-errors">
          {[...failures].map(([key, [first, ...others]]) => (
            <li key={key}>
              <strong>{platformTitle(first!.platform)}</strong>: <bdi>{first!.message}</bdi>
              {others.length > 0 && ` ${texts.forTopics(others.length + 1)}`}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
