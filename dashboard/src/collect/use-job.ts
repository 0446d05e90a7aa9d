import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner, useSessionState } from '../api/session-store.ts'
import type { PaidJob } from '../api/types.ts'
import { allFigures, type FollowedJob, follow, notFollowed } from './follow-job.ts'

/** The present state of a job, followed until it ends; started again after a new sign-in. `paid` has its cost, as of its start or its end. */
export function useJob(jobId: string): FollowedJob & { paid: PaidJob | null; retry: () => void } {
  const owner = useOwner()
  const queries = useQueryClient()
  const { state: sessionState } = useSessionState()
  const [attempt, setAttempt] = useState(0)
  const [followed, setFollowed] = useState(notFollowed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt, or a new session, must follow the job again
  useEffect(() => {
    if (sessionState !== 'signed-in') return
    const controller = new AbortController()
    setFollowed((before) => ({ ...before, error: null }))
    void follow(jobId, setFollowed, controller.signal)
    return () => controller.abort()
  }, [jobId, attempt, sessionState])

  // Events describe platforms only; the topic, the cost and the other fields come from one call.
  const first = useQuery({
    queryKey: [owner, 'job', jobId],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } }, signal })),
    staleTime: 0,
  })
  const isOver = followed.by === 'ended'
  useEffect(() => {
    if (!isOver) return
    for (const changed of ['job', 'jobs', 'usage', 'topics', 'results', 'platforms']) {
      void queries.invalidateQueries({ queryKey: [owner, changed] })
    }
  }, [isOver, owner, queries])
  const retry = () => {
    void first.refetch()
    setAttempt(attempt + 1)
  }
  const job = followed.job ?? first.data ?? null
  const platforms = job === null ? followed.platforms : allFigures(job, followed.platforms)
  return { ...followed, job, paid: first.data ?? null, platforms, error: followed.error ?? first.error, retry }
}
