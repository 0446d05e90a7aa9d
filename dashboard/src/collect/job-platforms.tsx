import type { DiscardReason, Job, PlatformStatus } from '../api/types.ts'
import { number, platformTitle } from '../shell/format.ts'
import { useSecondsUntil } from '../shell/problem.tsx'
import { useReadiness } from '../shell/use-platforms.ts'
import { collectTexts as texts } from '../texts/later/collect.ts'
import type { FollowedJob, PlatformFault, PlatformFigures } from './follow-job.ts'
import { troubleOf } from './platform-trouble.ts'

interface JobPlatformsProps {
  job: Job
  platforms: FollowedJob['platforms']
}

const isOver = ({ state }: PlatformFigures) => state === 'done' || state === 'error' || state === 'skipped'

/** The progress of each platform, with advice after a failure. */
export function JobPlatforms({ job, platforms }: JobPlatformsProps) {
  const rows = [...platforms].map(([platform, figures]) => ({ platform, figures }))
  // The state of a waiting platform says whether it has reached a limit, and is what the next form of a collection shows.
  const waiting = rows.filter(({ figures }) => figures.waitingUntil !== null && !isOver(figures))
  const readiness = useReadiness(waiting.map(({ platform, figures }) => `${platform} ${figures.waitingUntil}`))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
    <section className="table-frame" tabIndex={0} aria-label={texts.byPlatform}>
      <table className="job-platforms">
        <caption className="unseen">{texts.byPlatform}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.platform}</th>
            <th scope="col">{texts.state}</th>
            <th scope="col">{texts.pagesRead}</th>
            <th scope="col" className="number">
              {texts.found}
            </th>
            <th scope="col" className="number">
              {texts.created}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ platform, figures }) => (
            <PlatformRow
              key={platform}
              platform={platform}
              job={job}
              figures={figures}
              status={readiness?.find((status) => status.platform === platform)}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface PlatformRowProps {
  platform: string
  figures: PlatformFigures
  job: Job
  /** The state of the platform, if it was read. */
  status: PlatformStatus | undefined
}

function PlatformRow({ platform, figures, job: { depth, sources, sourcesNotReached }, status }: PlatformRowProps) {
  const { state, pages, requestsFound, requestsCreated, waitingUntil, error } = figures
  const wasCancelled = error?.code === 'cancelled'
  const trouble = faultOf(figures, status)
  return (
    <>
      <tr>
        <th scope="row">{platformTitle(platform)}</th>
        <td>
          <span className={`badge ${wasCancelled ? 'cancelled' : state}`}>
            {wasCancelled ? texts.jobStatus.cancelled : texts.taskState[state]}
          </span>{' '}
          {waitingUntil !== null && !isOver(figures) && (
            <Waiting until={waitingUntil} hasFailed={trouble !== null} isAtLimit={status?.state === 'waiting'} />
          )}
        </td>
        <td data-label={texts.pagesRead}>
          <span className="pages">
            <progress
              max={depth}
              value={state === 'done' ? depth : pages}
              aria-label={texts.progressOf(platformTitle(platform))}
            />
            {texts.pagesOf(pages, depth)}
          </span>
        </td>
        <td className="number" data-label={texts.found}>
          {number(requestsFound)}
        </td>
        <td className="number" data-label={texts.created}>
          {number(requestsCreated)}
        </td>
      </tr>
      <Notes figures={figures} sources={sources?.[platform]} notReached={sourcesNotReached?.[platform]} />
      {trouble !== null && !wasCancelled && (
        <tr className="remedy">
          <td colSpan={5}>
            <bdi>{trouble.message}</bdi>
            {error !== null && <span className="note"> {texts.remedy(error.code)}</span>}
          </td>
        </tr>
      )}
    </>
  )
}

interface NotesProps {
  figures: PlatformFigures
  /** Those that the account named; undefined for those of the operator. */
  sources: readonly string[] | undefined
  notReached: readonly string[] | undefined
}

/** Where the pages are from, and what else came of them: possible requests, and what was left out. */
function Notes({ figures: { maybeCreated, discarded, undated = 0 }, sources, notReached }: NotesProps) {
  const leftOut = (Object.entries(discarded) as [DiscardReason, number][]).sort(([, one], [, other]) => other - one)
  const notes = [
    ...(sources ? [texts.onlyFrom(sources)] : []),
    ...(maybeCreated > 0 ? [texts.maybeCreated(maybeCreated)] : []),
    ...(leftOut.length > 0 ? [texts.discarded(leftOut)] : []),
    ...(undated > 0 ? [texts.undated(undated)] : []),
    ...(notReached ? [texts.sourcesNotReached(notReached)] : []),
  ]
  if (notes.length === 0) return null
  return (
    <tr className="notes">
      <td colSpan={5}>
        <bdi className="note">{notes.map((note) => `${note}.`).join(' ')}</bdi>
      </td>
    </tr>
  )
}

/** The error of a failed platform or, while it waits for another try, the error of the last one. */
function faultOf(figures: PlatformFigures, status: PlatformStatus | undefined): PlatformFault | null {
  if (figures.error !== null || isOver(figures)) return figures.error
  return figures.waitingUntil !== null && status ? troubleOf(status) : null
}

/** Hidden from screen readers, which would announce each second. */
function Waiting({ until, hasFailed, isAtLimit }: { until: string; hasFailed: boolean; isAtLimit: boolean }) {
  const seconds = useSecondsUntil(Date.parse(until))
  const say = hasFailed ? texts.triesAgain : isAtLimit ? texts.waitsForLimit : texts.waitsFor
  return <span className="note">{say(seconds)}</span>
}
