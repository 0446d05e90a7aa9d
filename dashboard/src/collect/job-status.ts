import type { Job, JobStatus } from '../api/types.ts'

/** The status of a job on the page: a cancelled job is shown as such, although the API says `failed`. */
export type ShownStatus = JobStatus | 'cancelled'

export const isCancelled = ({ status, errors }: Pick<Job, 'status' | 'errors'>): boolean =>
  status === 'failed' && errors?.some(({ code }) => code === 'cancelled') === true

export const shownStatus = (job: Pick<Job, 'status' | 'errors'>): ShownStatus =>
  isCancelled(job) ? 'cancelled' : job.status
