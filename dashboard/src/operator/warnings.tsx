import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { operatorTexts as texts } from '../texts/operator.ts'

/** What the service says that its operator should do; nothing when that is nothing. */
export function Warnings() {
  const owner = useOwner()
  const { data } = useQuery({
    queryKey: [owner, 'warnings'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/readyz', { signal }))).warnings,
    staleTime: 60_000,
  })
  if (data === undefined || data.length === 0) return null
  return (
    <aside className="problem" aria-label={texts.warnings}>
      {data.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </aside>
  )
}
