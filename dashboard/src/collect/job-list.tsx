import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { JobStatus, ListedJob } from '../api/types.ts'
import { collectTexts as texts } from '../texts/later/collect.ts'

const statuses: JobStatus[] = ['pending', 'running', 'completed', 'failed']

type Input = { status?: JobStatus; limit: number; cursor?: string }
type JobPage<Listed> = { results: Listed[]; hasMore: boolean; cursor: string | null }

const isUnderWay = ({ results }: JobPage<ListedJob>) => results.some(({ completedAt }) => completedAt === null)

/** Jobs of the chosen status, the newest first, page by page: those of an account, or all of them for the operator. */
export function useJobList<Listed extends ListedJob>(
  readPage: (query: Input, signal: AbortSignal) => Promise<JobPage<Listed>>,
  limit: number,
) {
  const owner = useOwner()
  const [status, setStatus] = useState<JobStatus | ''>('')
  const query = useInfiniteQuery({
    queryKey: [owner, 'jobs', status],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      readPage({ ...pageAt(pageParam, limit), ...(status === '' ? {} : { status }) }, signal),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
    // Only running jobs change.
    staleTime: ({ state }) => (state.data?.pages.some(isUnderWay) ? 5_000 : 60_000),
  })
  return { query, jobs: query.data?.pages.flatMap((page) => page.results), status, setStatus }
}

interface StatusFilterProps {
  status: JobStatus | ''
  setStatus: (status: JobStatus | '') => void
}

export const StatusFilter = ({ status, setStatus }: StatusFilterProps) => (
  <label>
    <span>{texts.withStatus}</span>{' '}
    <select value={status} onChange={(event) => setStatus(event.target.value as JobStatus | '')}>
      <option value="">{texts.anyStatus}</option>
      {statuses.map((name) => (
        <option key={name} value={name}>
          {name === 'failed' ? texts.failedOrCancelled : texts.jobStatus[name]}
        </option>
      ))}
    </select>
  </label>
)
