import type { Job, JobStatus } from '../api/types.ts'

/** What a page shows of a job: one that was cancelled has not failed, though programs are told `failed`. */
export type ShownStatus = JobStatus | 'cancelled'

export const isCancelled = ({ status, errors }: Pick<Job, 'status' | 'errors'>): boolean =>
  status === 'failed' && errors?.some(({ code }) => code === 'cancelled') === true

export const shownStatus = (job: Pick<Job, 'status' | 'errors'>): ShownStatus =>
  isCancelled(job) ? 'cancelled' : job.status
