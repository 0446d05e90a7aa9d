import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { TopicOrder, TopicSummary } from '../api/types.ts'
import { collectAddress, topicAddress, topicsAddress } from '../shell/addresses.ts'
import { ago, number, signed } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate, useAddress } from '../shell/router.tsx'
import { counts } from '../texts/counts.ts'
import { topicTexts as texts } from '../texts/topics.ts'

const orders: TopicOrder[] = ['new', 'votes', 'name']

interface TopicsView {
  query: string
  sortBy: TopicOrder
}

function parseTopicsView(parameters: URLSearchParams): TopicsView {
  const sort = parameters.get('sort')
  return {
    query: [...(parameters.get('q') ?? '').trim()].slice(0, 100).join(''),
    // Older addresses have the synonym.
    sortBy: sort === 'top' ? 'votes' : sort === 'votes' || sort === 'name' ? sort : 'new',
  }
}

function show({ query, sortBy }: TopicsView): void {
  const parameters = new URLSearchParams()
  if (query !== '') parameters.set('q', query)
  if (sortBy !== 'new') parameters.set('sort', sortBy)
  const text = parameters.toString()
  navigate(text === '' ? topicsAddress : `${topicsAddress}?${text}`)
}

/** Every collected topic. */
export function TopicsPage() {
  const { search } = useAddress()
  const view = parseTopicsView(new URLSearchParams(search))
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="filter-bar">
        <TopicSearch view={view} />
        <label>
          <span>{texts.sortBy}</span>
          <select value={view.sortBy} onChange={(event) => show({ ...view, sortBy: event.target.value as TopicOrder })}>
            {orders.map((order) => (
              <option key={order} value={order}>
                {texts.sort[order]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <TopicList view={view} />
    </Page>
  )
}

function TopicSearch({ view }: { view: TopicsView }) {
  const [text, setText] = useState(view.query)
  useEffect(() => setText(view.query), [view.query])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    show({ ...view, query: text.trim() })
  }
  return (
    <search>
      <form className="inline-form" onSubmit={submit}>
        <label className="unseen" htmlFor="topic-search">
          {texts.find}
        </label>
        <input
          id="topic-search"
          type="search"
          dir="auto"
          maxLength={100}
          placeholder={texts.find}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">{texts.findButton}</button>
      </form>
    </search>
  )
}

function TopicList({ view }: { view: TopicsView }) {
  const { query, sortBy } = view
  const owner = useOwner()
  const topics = useInfiniteQuery({
    queryKey: [owner, 'topics', view],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/topics', {
          params: { query: { ...(query === '' ? {} : { query }), sortBy, ...pageAt(pageParam, 30) } },
          signal,
        }),
      ),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
  })
  if (!topics.data) return topics.error === null ? <Loading /> : <Problem error={topics.error} retry={topics.refetch} />
  const listed = topics.data.pages.flatMap((page) => page.results)
  if (listed.length === 0) {
    return view.query === '' ? (
      <Empty title={texts.none}>
        <Link className="button primary" href={collectAddress}>
          {texts.toCollect}
        </Link>
      </Empty>
    ) : (
      <Empty title={texts.noMatch} />
    )
  }
  return (
    <>
      <ul className="topics">
        {listed.map((topic) => (
          <TopicLine key={topic.topic} topic={topic} />
        ))}
      </ul>
      <MoreButton query={topics} />
    </>
  )
}

const TopicLine = ({ topic }: { topic: TopicSummary }) => (
  <li>
    <Link href={topicAddress(topic.topic)} className="topic-name" dir="auto">
      {topic.topic}
    </Link>
    <p className="origin">
      <span>{counts.requests(topic.requests)}</span>
      <span>{counts.votes(topic.votes)}</span>
      <span>{texts.growth(signed(topic.growth.days7), signed(topic.growth.days30))}</span>
      {topic.lastCollectedAt && <span>{texts.collected(ago(topic.lastCollectedAt))}</span>}
    </p>
    {topic.tags.length > 0 && (
      <p className="tags">
        {topic.tags.slice(0, 5).map(({ tag, requests }) => (
          <span key={tag} className="tag">
            <bdi>{tag}</bdi> {number(requests)}
          </span>
        ))}
      </p>
    )}
  </li>
)
