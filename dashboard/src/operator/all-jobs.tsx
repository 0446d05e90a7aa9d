import { api, dataOf } from '../api/client.ts'
import type { OperatorJob } from '../api/types.ts'
import { StatusFilter, useJobList } from '../collect/job-list.tsx'
import { isCancelled, shownStatus } from '../collect/job-status.ts'
import { operatorAccountAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts } from '../texts/later/collect.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** The jobs of all accounts, the newest first. */
export function AllJobs() {
  const { query, jobs, status, setStatus } = useJobList(
    (page, signal) => dataOf(api.GET('/api/admin/jobs', { params: { query: page }, signal })),
    30,
  )
  return (
    <Page title={texts.jobs} actions={<StatusFilter status={status} setStatus={setStatus} />}>
      {jobs === undefined &&
        (query.error === null ? <Loading /> : <Problem error={query.error} retry={query.refetch} />)}
      {jobs?.length === 0 && !query.hasNextPage && <p className="note">{texts.noJobs}</p>}
      <ol className="jobs">
        {jobs?.map((job) => (
          <JobLine key={job.jobId} job={job} />
        ))}
      </ol>
      {jobs && <MoreButton query={query} />}
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
        <span className={`badge ${shownStatus(job)}`}>{collectTexts.jobStatus[shownStatus(job)]}</span>
        <Link href={operatorAccountAddress(job.accountId)}>
          <bdi>{job.accountName}</bdi>
        </Link>
        <time dateTime={job.createdAt} title={dateAndTime(job.createdAt)}>
          {ago(job.createdAt)}
        </time>
        <span>{collectTexts.pages(job.depth)}</span>
        <span>{job.platforms.map(platformTitle).join(', ')}</span>
      </p>
      {(isCancelled(job) ? [] : job.errors)?.map(({ platform, message }) => (
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
