import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'

export interface JobOwnership {
  /** Whether a scrape job is of this account: only then may its requests be listed by it. */
  ownsJob(accountId: string, jobId: string): Promise<boolean>
}

/** @throws ServiceError NOT_FOUND for a job that is unknown or of another account, with the same text. */
export async function requireOwnJob(
  { ownsJob }: JobOwnership,
  accountId: string,
  jobId: string | undefined,
): Promise<void> {
  if (jobId === undefined) return
  if (!isId(jobId) || !(await ownsJob(accountId, jobId))) throw notFound('Scrape job')
}
