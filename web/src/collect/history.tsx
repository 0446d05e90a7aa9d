import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listJobs } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { JobStatus, ListedJob } from '../api/types.ts'
import { jobAddress, newCollection } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/collect.ts'

const statuses: JobStatus[] = ['pending', 'running', 'completed', 'failed']

/** What was collected before, the last first. */
export function History() {
  const owner = useOwner()
  const [status, setStatus] = useState<JobStatus | ''>('')
  const jobs = useInfiniteQuery({
    queryKey: [owner, 'jobs', status],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      listJobs({ status: status === '' ? undefined : status, limit: 20, cursor: pageParam }, { signal }),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
    staleTime: 5_000,
  })
  const listed = jobs.data?.pages.flatMap((page) => page.jobs)
  return (
    <section className="history" aria-labelledby="history">
      <div className="section-head">
        <h2 id="history">{texts.history}</h2>
        <label>
          <span>{texts.withStatus}</span>
          <select value={status} onChange={(event) => setStatus(event.target.value as JobStatus | '')}>
            <option value="">{texts.anyStatus}</option>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {texts.jobStatus[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {listed === undefined &&
        (jobs.error === null ? <Loading /> : <Problem error={jobs.error} retry={jobs.refetch} />)}
      {listed?.length === 0 && !jobs.hasNextPage && <p className="note">{texts.noJobs}</p>}
      {listed && listed.length > 0 && (
        <ol className="jobs">
          {listed.map((job) => (
            <JobLine key={job.jobId} job={job} />
          ))}
        </ol>
      )}
      {listed && <MoreButton query={jobs} />}
    </section>
  )
}

const JobLine = ({ job }: { job: ListedJob }) => (
  <li>
    <div>
      <Link href={jobAddress(job.jobId)} className="job-topic" dir="auto">
        {job.topic}
      </Link>
      <p className="origin">
        <span className={`badge ${job.status}`}>{texts.jobStatus[job.status]}</span>
        <time dateTime={job.createdAt} title={dateAndTime(job.createdAt)}>
          {ago(job.createdAt)}
        </time>
        <span>{texts.pages(job.depth)}</span>
        <span>{job.platforms.map(platformTitle).join(', ')}</span>
      </p>
    </div>
    <p className="job-new">
      <strong>{number(job.requestsCreated)}</strong> {texts.newShort}
    </p>
    <Link
      className="button small"
      href={newCollection(job)}
      aria-label={texts.runAgainLabel(job.topic)}
      onClick={() => document.getElementById('heading')?.focus()}
    >
      {texts.runAgain}
    </Link>
  </li>
)
