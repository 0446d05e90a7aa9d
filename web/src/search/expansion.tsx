import type { CollectionProgress, SearchMeta } from '../api/types.ts'
import { duration, platformTitle } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { useExpansion } from './use-expansion.ts'
import type { View } from './view.ts'

/** Collecting the topics around a search live: what it costs is said before, how it goes while it runs, what was new after it. */
export function Expansion({ view }: { view: View }) {
  const expansion = useExpansion(view)
  const { state, topics, collections, meta, error, start, stop } = expansion
  if (state === 'ready') {
    return (
      <div className="expansion">
        <p>{texts.expandIntro}</p>
        <button type="button" onClick={() => void start()}>
          {texts.expand}
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
            />
          ))}
        </ul>
      )}
      {state === 'done' && meta?.errors && meta.errors.length > 0 && <Errors errors={meta.errors} />}
      {state === 'failed' && <Problem error={error} retry={start} />}
      {state === 'running' && (
        <button type="button" className="quiet" onClick={stop}>
          {texts.stopWaiting}
        </button>
      )}
      {state === 'done' && (
        <button type="button" onClick={() => void start()}>
          {texts.expandAgain}
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

const marks: Record<CollectionProgress['state'], string> = {
  waiting: '…',
  done: '✓',
  error: '!',
  skipped: '–',
  fresh: '=',
}

const TopicProgress = ({ topic, collections }: { topic: string; collections: CollectionProgress[] }) => (
  <li>
    <bdi className="topic-name">{topic}</bdi>
    <span className="platform-states">
      {collections.map(({ platform, state, newRequests }) => (
        <span key={platform} className={`state ${state}`}>
          <span aria-hidden="true">{marks[state]}</span> {platformTitle(platform)}
          <span className="unseen">: {texts.collectionState[state]}</span>
          {newRequests > 0 && ` ${texts.newOnes(newRequests)}`}
        </span>
      ))}
    </span>
  </li>
)

const Errors = ({ errors }: { errors: NonNullable<SearchMeta['errors']> }) => (
  <ul className="collection-errors">
    {errors.map((error) => (
      <li key={`${error.topic}\n${error.platform}`}>
        <strong>{platformTitle(error.platform)}</strong>, <bdi>{error.topic}</bdi>: <bdi>{error.message}</bdi>
      </li>
    ))}
  </ul>
)
