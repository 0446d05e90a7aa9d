import { api, dataOf } from '../api/client.ts'
import type { ListedJob } from '../api/types.ts'
import { jobAddress, newCollection } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { chargedOf } from './job-cost.tsx'
import { StatusFilter, useJobList } from './job-list.tsx'
import { shownStatus } from './job-status.ts'

/** The earlier collections, the newest first. */
export function History() {
  const { query, jobs, status, setStatus } = useJobList(
    (page, signal) => dataOf(api.GET('/api/v1/scrape', { params: { query: page }, signal })),
    20,
  )
  return (
    <section className="history" aria-labelledby="history">
      <div className="section-head">
        <h2 id="history">{texts.history}</h2>
        <StatusFilter status={status} setStatus={setStatus} />
      </div>
      {jobs === undefined &&
        (query.error === null ? <Loading /> : <Problem error={query.error} retry={query.refetch} />)}
      {jobs?.length === 0 && !query.hasNextPage && <p className="note">{texts.noJobs}</p>}
      {jobs && jobs.length > 0 && (
        <ol className="jobs">
          {jobs.map((job) => (
            <JobLine key={job.jobId} job={job} />
          ))}
        </ol>
      )}
      {jobs && <MoreButton query={query} />}
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
        <span className={`badge ${shownStatus(job)}`}>{texts.jobStatus[shownStatus(job)]}</span>
        <time dateTime={job.createdAt} title={dateAndTime(job.createdAt)}>
          {ago(job.createdAt)}
        </time>
        <span>{texts.pages(job.depth)}</span>
        <span>{job.platforms.map(platformTitle).join(', ')}</span>
        <span>{chargedOf(job)}</span>
        {job.sources && <span>{texts.fromSources(Object.values(job.sources).flat().length)}</span>}
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
