import { useUsage } from '../account/use-usage.ts'
import { type ApiError, isStatus } from '../api/client.ts'
import { isFree } from '../api/pricing.ts'
import type { PaidJob } from '../api/types.ts'
import { accountAddress } from '../shell/addresses.ts'
import { dateAndTime } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { problemTexts } from '../texts/problems.ts'

export const isCreditRefusal = (error: unknown): error is ApiError =>
  isStatus(error, 429) && error.body?.reason === 'credits'

/** Why a job was not started. If it costs more than the account has left, both figures are shown: a smaller job may be possible. */
export function Refusal({ error, cost, retry }: { error: Error; cost: number; retry: () => void }) {
  const left = useCreditsLeft()
  if (!isCreditRefusal(error) || left === null || left === 0 || left >= cost) {
    return <Problem error={error} retry={retry} />
  }
  const resetsAt = error.body?.resetsAt
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{texts.tooDear(cost, left)}</strong> {resetsAt && texts.tooDearAdvice(dateAndTime(resetsAt))}
      </p>
      <Link href={accountAddress}>{problemTexts.toAccount}</Link>
    </div>
  )
}

/** What a job holds or was charged, and by which key or watch. */
export const chargedOf = ({ credits, startedBy }: Pick<PaidJob, 'credits' | 'startedBy'>): string =>
  texts.charged(credits.held + credits.settled, startedBy.watchName ?? startedBy.keyName)

/** The credits that can be spent now, of the pool and of packs; null until they are known. */
function useCreditsLeft(): number | null {
  const usage = useUsage()
  return usage ? usage.credits.remaining + usage.paygBalance : null
}

/** The maximum cost of the job, and whether the account has as many credits. */
export function Cost({ depth, platforms }: { depth: number; platforms: number }) {
  const cost = depth * platforms
  const left = useCreditsLeft()
  const pages = <span className="note">{texts.costOf(depth, platforms)}</span>
  if (isFree()) {
    return (
      <p className="cost" role="status">
        <strong>{texts.free}</strong> {pages}
      </p>
    )
  }
  return (
    <p className="cost" role="status">
      <strong>{texts.cost(cost)}</strong> {pages}
      {left !== null && (
        <span className={cost > left ? 'note fault' : 'note'}>
          {cost > left ? texts.tooLittle(left) : texts.creditsLeft(left)}
        </span>
      )}
    </p>
  )
}
