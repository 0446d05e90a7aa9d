import type { Job } from '../api/types.ts'
import { number, platformTitle } from '../shell/format.ts'
import { useSecondsUntil } from '../shell/problem.tsx'
import { collectTexts as texts } from '../texts/collect.ts'
import type { FollowedJob, PlatformFigures } from './follow-job.ts'

interface JobPlatformsProps {
  job: Job
  platforms: FollowedJob['platforms']
}

const nothingYet = { pages: null, requestsFound: null, requestsCreated: null, waitingUntil: null, error: null }

/** How far each platform is, with its remedy where it failed. */
export function JobPlatforms({ job, platforms }: JobPlatformsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it too
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
          {job.platforms.map((platform) => (
            <PlatformRow
              key={platform}
              platform={platform}
              depth={job.depth}
              figures={platforms.get(platform) ?? { ...nothingYet, state: job.progress[platform] ?? 'pending' }}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

const shown = (value: number | null) => (value === null ? '–' : number(value))

function PlatformRow({ platform, figures, depth }: { platform: string; figures: PlatformFigures; depth: number }) {
  const { state, pages, requestsFound, requestsCreated, waitingUntil, error } = figures
  const isOver = state === 'done' || state === 'error' || state === 'skipped'
  return (
    <>
      <tr>
        <th scope="row">{platformTitle(platform)}</th>
        <td>
          <span className={`badge ${state}`}>{texts.taskState[state]}</span>
          {waitingUntil !== null && !isOver && <Waiting until={waitingUntil} />}
        </td>
        <td>
          <span className="pages">
            <progress
              max={depth}
              value={state === 'done' ? depth : (pages ?? 0)}
              aria-label={texts.progressOf(platformTitle(platform))}
            />
            {pages === null ? '–' : texts.pagesOf(pages, depth)}
          </span>
        </td>
        <td className="number">{shown(requestsFound)}</td>
        <td className="number">{shown(requestsCreated)}</td>
      </tr>
      {error !== null && (
        <tr className="remedy">
          <td colSpan={5}>
            <bdi>{error.message}</bdi> <span className="note">{texts.remedy(error.code)}</span>
          </td>
        </tr>
      )}
    </>
  )
}

/** For the eye: nobody wants to hear each second. */
function Waiting({ until }: { until: string }) {
  const seconds = useSecondsUntil(Date.parse(until))
  return <span className="note">{seconds > 0 ? texts.waitsFor(seconds) : texts.goesOn}</span>
}
