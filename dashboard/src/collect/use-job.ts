import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readJob } from '../api/calls.ts'
import { useOwner, useSessionState } from '../api/session-store.ts'
import { type FollowedJob, follow, notFollowed } from './follow-job.ts'

/** A job as it is now, followed until it ends; begun anew when a session was renewed. */
export function useJob(jobId: string): FollowedJob & { retry: () => void } {
  const owner = useOwner()
  const queries = useQueryClient()
  const { state: sessionState } = useSessionState()
  const [attempt, setAttempt] = useState(0)
  const [followed, setFollowed] = useState(notFollowed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt, or a renewed session, is another following
  useEffect(() => {
    if (sessionState !== 'signed-in') return
    const controller = new AbortController()
    setFollowed((before) => ({ ...before, error: null }))
    void follow(jobId, setFollowed, controller.signal)
    return () => controller.abort()
  }, [jobId, attempt, sessionState])

  // The events tell of platforms; topic and the rest are the job's, and are there at once by asking for it.
  const first = useQuery({
    queryKey: [owner, 'job', jobId],
    queryFn: ({ signal }) => readJob(jobId, { signal }),
    staleTime: 0,
  })
  const isOver = followed.by === 'ended'
  useEffect(() => {
    if (!isOver) return
    for (const changed of ['jobs', 'usage', 'topics', 'results', 'platforms']) {
      void queries.invalidateQueries({ queryKey: [owner, changed] })
    }
  }, [isOver, owner, queries])
  const retry = () => {
    void first.refetch()
    setAttempt(attempt + 1)
  }
  return { ...followed, job: followed.job ?? first.data ?? null, error: followed.error ?? first.error, retry }
}
