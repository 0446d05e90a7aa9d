import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { RequestRecord } from '../api/types.ts'
import { Correction } from '../search/correction.tsx'
import { SourceLink } from '../search/request-parts.tsx'
import { number, platformTitle } from '../shell/format.ts'
import { useNumberKeys } from '../shell/number-keys.ts'
import { counts } from '../texts/counts.ts'
import { homeTexts as texts } from '../texts/home.ts'

const minVotes = 50
const shown = 5
/** Pages of 100 that are read for them: texts that are shown may have more votes. */
const maxPages = 5

/** The most voted texts that no list shows, and that nobody has judged. */
async function readHidden(signal: AbortSignal): Promise<RequestRecord[]> {
  const hidden: RequestRecord[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && hidden.length < shown; page++) {
    const query = {
      include: 'all' as const,
      minVotes,
      sortBy: 'votes' as const,
      limit: 100,
      ...(cursor ? { cursor } : {}),
    }
    const { results, cursor: next } = await dataOf(api.GET('/api/v1/requests', { params: { query }, signal }))
    hidden.push(...results.filter(({ likelihood, corrected }) => likelihood !== 'likely' && !corrected))
    if (next === null) break
    cursor = next
  }
  return hidden.slice(0, shown)
}

/** What many vote for, though the detection takes it for no request: a key answers the first one that is left. */
export function HiddenDemand() {
  const owner = useOwner()
  const mayChange = useMayChange()
  const list = useRef<HTMLOListElement>(null)
  const { data = [] } = useQuery({
    queryKey: [owner, 'hidden'],
    queryFn: ({ signal }) => readHidden(signal),
    enabled: mayChange,
    // What was judged stays with its undo until the page is left.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useNumberKeys((position) => {
    const asked = list.current?.querySelector('li:not(:has(.correction .note)) .correction')
    asked?.querySelectorAll('button')[position]?.click()
  })
  if (data.length === 0) return null
  return (
    <section aria-labelledby="hidden-demand">
      <h2 id="hidden-demand">{texts.hidden}</h2>
      <p className="note">{texts.hiddenWhy(number(minVotes))}</p>
      <ol className="doubtful" ref={list}>
        {data.map((request) => (
          <li key={request._id} className="member">
            <p className="member-title">
              <bdi>
                <SourceLink request={request}>{request.title}</SourceLink>
              </bdi>{' '}
              <span className="note">
                {counts.votes(request.votes)} · {platformTitle(request.sourcePlatform)}
              </span>
            </p>
            <p className="member-actions">
              <Correction request={request} isAsked />
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}
