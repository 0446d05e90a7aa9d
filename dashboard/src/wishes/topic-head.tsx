import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { ColumnChart } from '../charts/column-chart.tsx'
import { newCollection } from '../shell/addresses.ts'
import { ago, number, utcPeriod } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { counts } from '../texts/counts.ts'
import { topicTexts as texts } from '../texts/topics.ts'

/** A topic in numbers, above its wishes. Its own failure hides nothing of the list. */
export function TopicHead({ topic }: { topic: string }) {
  const owner = useOwner()
  const { data } = useQuery({
    queryKey: [owner, 'topics', 'one', topic],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/topics/{topic}', { params: { path: { topic } }, signal })),
    retry: false,
  })
  if (!data) return null
  return (
    <details className="topic-head">
      <summary>
        {counts.requests(data.requests)} · {counts.votes(data.votes)} · {texts.newIn30(number(data.growth.days30))}
        {data.lastCollectedAt && ` · ${texts.collected(ago(data.lastCollectedAt))}`}
      </summary>
      <ColumnChart
        title={texts.overTime}
        unit={texts.from}
        series={[texts.requests]}
        columns={data.timeline.map(({ from, requests }, at) => ({
          name: utcPeriod(from, data.timeline[at + 1]?.from),
          values: [requests],
        }))}
      />
      <Link className="button small" href={newCollection({ topic })}>
        {texts.collectAgain}
      </Link>
    </details>
  )
}
