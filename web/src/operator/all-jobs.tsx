import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAllJobs } from '../api/operator-calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { JobStatus, OperatorJob } from '../api/types.ts'
import { operatorAccountAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts } from '../texts/collect.ts'
import { operatorTexts as texts } from '../texts/operator.ts'

const statuses: JobStatus[] = ['pending', 'running', 'completed', 'failed']

/** The collections of all accounts, the last first. */
export function AllJobs() {
  const owner = useOwner()
  const [status, setStatus] = useState<JobStatus | ''>('')
  const jobs = useInfiniteQuery({
    queryKey: [owner, 'jobs', status],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      listAllJobs({ status: status === '' ? undefined : status, limit: 30, cursor: pageParam }, { signal }),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
    staleTime: 5_000,
  })
  const listed = jobs.data?.pages.flatMap((page) => page.jobs)
  return (
    <Page
      title={texts.jobs}
      actions={
        <label>
          <span>{collectTexts.withStatus}</span>{' '}
          <select value={status} onChange={(event) => setStatus(event.target.value as JobStatus | '')}>
            <option value="">{collectTexts.anyStatus}</option>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {collectTexts.jobStatus[name]}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {listed === undefined &&
        (jobs.error === null ? <Loading /> : <Problem error={jobs.error} retry={jobs.refetch} />)}
      {listed?.length === 0 && !jobs.hasNextPage && <p className="note">{texts.noJobs}</p>}
      <ol className="jobs">
        {listed?.map((job) => (
          <JobLine key={job.jobId} job={job} />
        ))}
      </ol>
      {listed && <MoreButton query={jobs} />}
    </Page>
  )
}

const JobLine = ({ job }: { job: OperatorJob }) => (
  <li>
    <div>
      <p className="job-topic" dir="auto">
        {job.topic}
      </p>
      <p className="origin">
        <span className={`badge ${job.status}`}>{collectTexts.jobStatus[job.status]}</span>
        <Link href={operatorAccountAddress(job.accountId)}>
          <bdi>{job.accountName}</bdi>
        </Link>
        <time dateTime={job.createdAt} title={dateAndTime(job.createdAt)}>
          {ago(job.createdAt)}
        </time>
        <span>{collectTexts.pages(job.depth)}</span>
        <span>{job.platforms.map(platformTitle).join(', ')}</span>
      </p>
      {job.errors?.map(({ platform, message }) => (
        <p key={platform} className="note">
          {platformTitle(platform)}: <bdi>{message}</bdi>
        </p>
      ))}
    </div>
    <p className="job-new">
      <strong>{number(job.requestsCreated)}</strong> {collectTexts.newShort}
    </p>
  </li>
)
