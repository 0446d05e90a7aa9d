import { useEffect, useRef, useState } from 'react'
import { ApiError, SessionChangedError } from '../api/client.ts'
import { problemTexts as texts } from '../texts/problems.ts'
import { accountAddress } from './addresses.ts'
import { dateAndTime } from './format.ts'
import { Link } from './router.tsx'

/** The wait when an answer has no `Retry-After`. */
const usualWaitMs = 10_000

/** Whether the calls of a minute are used up; else it is the credits or a budget. */
const isTooFast = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 429 && (error.body?.reason ?? 'rate') === 'rate'

/** A failure: what happened, and what helps. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  if (error instanceof SessionChangedError) return null
  if (isTooFast(error)) {
    return <TooFast key={error.retryAt} error={error} retry={retry} />
  }
  const { title, advice } = describe(error)
  // Only time, a pack or a larger budget helps.
  const isCredits = error instanceof ApiError && error.status === 429
  // What is gone does not come back by trying.
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{title}</strong> {advice}
      </p>
      {isCredits && <Link href={accountAddress}>{texts.toAccount}</Link>}
      {retry && !isCredits && !isGone && (
        <button type="button" onClick={() => void retry()}>
          {texts.again}
        </button>
      )}
    </div>
  )
}

/** A rate limit: the call is repeated when the limit allows it. Screen readers announce the wait once, not the countdown. */
function TooFast({ error, retry }: { error: ApiError; retry?: (() => unknown) | undefined }) {
  const [retryAt] = useState(() => error.retryAt ?? Date.now() + usualWaitMs)
  const secondsLeft = useSecondsUntil(retryAt)
  const [atFirst] = useState(secondsLeft)
  const goOn = useRef(retry)
  goOn.current = retry
  const isOver = secondsLeft === 0
  useEffect(() => {
    if (isOver) goOn.current?.()
  }, [isOver])
  return (
    <div className="problem">
      <p>
        <span role="alert">
          <strong>{texts.tooFast}</strong> <span className="unseen">{texts.tooFastFor(atFirst)}</span>
        </span>
        <span aria-hidden="true" className="countdown">
          {retry ? texts.goesOnIn(secondsLeft) : texts.tryIn(secondsLeft)}
        </span>
      </p>
    </div>
  )
}

/** Whole seconds until a moment, never below 0. */
export function useSecondsUntil(moment: number): number {
  const read = () => Math.max(0, Math.ceil((moment - Date.now()) / 1000))
  const [seconds, setSeconds] = useState(read)
  useEffect(() => {
    const tick = () => {
      const left = Math.max(0, Math.ceil((moment - Date.now()) / 1000))
      setSeconds(left)
      if (left === 0) clearInterval(timer)
    }
    const timer = setInterval(tick, 250)
    return () => clearInterval(timer)
  }, [moment])
  return seconds
}

/** The text of an error. */
export function describe(error: unknown): { title: string; advice: string } {
  if (!(error instanceof ApiError)) return texts.unexpected
  const said = error.body?.message ?? ''
  if (error.status === 0) return navigator.onLine ? texts.noAnswer : texts.offline
  if (error.status === 401) return texts.expired
  if (error.body?.code === 'SCOPE_EXCEEDED') return texts.scope
  if (error.status === 404) return texts.notFound
  if (error.body?.reason === 'key_budget') return texts.keyBudget
  if (error.body?.reason === 'watch_budget') return texts.watchBudget
  if (error.status === 429) {
    const resetsAt = error.body?.resetsAt
    return { title: texts.noCredits, advice: resetsAt ? texts.poolIsFresh(dateAndTime(resetsAt)) : said }
  }
  if (error.status === 503) return texts.unavailable
  if (error.status >= 500) return texts.fault
  return { title: texts.refused, advice: said }
}
