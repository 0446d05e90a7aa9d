import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { Job, PaidJob } from '../api/types.ts'
import { collectAddress, filteredSearch, newCollection, newWatch, topicAddress } from '../shell/addresses.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { dateAndTime, number } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { watchPageTexts as watchTexts } from '../texts/later/watch-pages.ts'
import { type FollowedJob, sumOf } from './follow-job.ts'
import { chargedOf } from './job-cost.tsx'
import { JobPlatforms } from './job-platforms.tsx'
import { isCancelled, shownStatus } from './job-status.ts'
import { useJob } from './use-job.ts'

/** One collection: its progress while it runs, and its outcome. */
export function JobPage({ jobId }: { jobId: string }) {
  const followed = useJob(jobId)
  const { job, paid, platforms, by, error, retry } = followed
  if (job === null) {
    return <Page title={texts.job}>{error === null ? <Loading /> : <Problem error={error} retry={retry} />}</Page>
  }
  return (
    <Page title={job.topic} actions={<JobActions job={job} />}>
      <p className="crumb">
        <Link href={collectAddress}>{texts.allJobs}</Link>
      </p>
      {error !== null && <Problem error={error} retry={retry} />}
      <Summary job={job} paid={paid} platforms={platforms} by={by} />
      <JobPlatforms job={job} platforms={platforms} />
      {job.completedAt !== null && (
        <p className="actions">
          <Link className="button primary" href={filteredSearch({ job: job.jobId })}>
            {texts.seeFinds}
          </Link>
          <Link className="button" href={topicAddress(job.topic)}>
            {texts.understand}
          </Link>
          <Link className="button" href={newWatch(job)}>
            {watchTexts.watchThis}
          </Link>
          <MaybeLink jobId={job.jobId} count={sumOf(platforms, 'maybeCreated')} />
        </p>
      )}
    </Page>
  )
}

const MaybeLink = ({ jobId, count }: { jobId: string; count: number }) =>
  count > 0 && <Link href={filteredSearch({ job: jobId, include: 'maybe' })}>{texts.maybeCreated(count)}</Link>

function JobActions({ job }: { job: Job }) {
  const cancel = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v1/scrape/{jobId}', { params: { path: { jobId: job.jobId } } })),
  })
  if (job.completedAt !== null || cancel.isSuccess) {
    return (
      <Link className="button" href={newCollection(job)}>
        {texts.runAgain}
      </Link>
    )
  }
  return (
    <>
      <ConfirmButton
        question={texts.cancelQuestion}
        confirm={texts.cancelConfirm}
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        {cancel.isPending ? texts.cancelling : texts.cancel}
      </ConfirmButton>
      {cancel.error !== null && <Problem error={cancel.error} retry={() => cancel.mutate()} />}
    </>
  )
}

type SummaryProps = Pick<FollowedJob, 'platforms' | 'by'> & { job: Job; paid: PaidJob | null }

/** The sums of all platforms. */
function Summary({ job, paid, platforms, by }: SummaryProps) {
  const created = sumOf(platforms, 'requestsCreated')
  const hasBegun = [...platforms.values()].some(({ state }) => state !== 'pending')
  const status = job.completedAt === null && hasBegun ? 'running' : shownStatus(job)
  return (
    <>
      <dl className="figures">
        <Figure name={texts.status} value={<span className={`badge ${status}`}>{texts.jobStatus[status]}</span>} />
        <Figure name={texts.depthOfJob} value={texts.pages(job.depth)} />
        <Figure name={texts.pagesRead} value={number(sumOf(platforms, 'pages'))} />
        <Figure name={texts.found} value={number(sumOf(platforms, 'requestsFound'))} />
        <Figure name={texts.created} value={number(created)} />
        {paid && <Figure name={texts.costOfJob} value={chargedOf(paid)} />}
        {job.startedAt && <Figure name={texts.startedAt} value={dateAndTime(job.startedAt)} />}
        {job.completedAt && <Figure name={texts.completedAt} value={dateAndTime(job.completedAt)} />}
      </dl>
      <p className="note" role="status">
        {isCancelled(job) ? texts.cancelledWith(created) : texts.newsBy[by]}
      </p>
    </>
  )
}

const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
