import type { Selectable } from 'kysely'
import type { Discarded, PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import type { Tables } from '../../database/tables.ts'

/** Predicates for one platform or several. */
const reasons: Record<Exclude<PlatformErrorCode, 'cancelled'>, string> = {
  rate_limited: 'allowed no more calls',
  unauthorized: 'did not accept the credentials',
  blocked: 'refused the service',
  bad_response: 'gave an answer that could not be read',
  timeout: 'did not answer in time',
  unavailable: 'could not be reached',
  quota_exhausted: 'had no quota left',
  not_configured: 'had no configuration',
}

const listed = new Intl.ListFormat('en-US')

type EndedTask = Pick<TaskRow, 'platform' | 'error_code' | 'completed_at'>

/** Why a job failed, in one sentence: cancelled, out of time, or the reasons why every platform failed. */
export function failureOf(tasks: readonly EndedTask[], expiresAt: Date): string {
  if (tasks.some(({ error_code }) => error_code === 'cancelled')) return 'The account cancelled the job.'
  const isLate = ({ error_code, completed_at }: EndedTask) =>
    error_code === 'timeout' && completed_at !== null && completed_at >= expiresAt
  if (tasks.some(isLate)) return 'The time limit of the job was over before any platform was done.'
  const byReason = Map.groupBy(tasks, ({ error_code }) => error_code ?? 'unavailable')
  const clauses = [...byReason].map(([code, failed]) => {
    const names = listed.format(failed.map(({ platform }): PlatformName => platform))
    return `${names} ${reasons[code as keyof typeof reasons]} (${code})`
  })
  return `${tasks.length === 1 ? 'The platform' : 'Every platform'} failed: ${clauses.join('; ')}.`
}

export type TaskRow = Selectable<Tables['scrape_tasks']>

export interface TaskResult {
  platform: PlatformName
  pages: number
  requestsFound: number
  requestsCreated: number
  maybeCreated: number
  discarded: Discarded
  undated?: number
}

export const resultOf = ({ discarded: { undated, ...discarded }, ...task }: TaskRow): TaskResult => ({
  platform: task.platform,
  pages: task.pages,
  requestsFound: task.requests_found,
  requestsCreated: task.requests_created,
  maybeCreated: task.maybe_created,
  discarded,
  ...(undated === undefined ? {} : { undated }),
})
