import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { WatchRun } from '../api/types.ts'
import { jobAddress } from '../shell/addresses.ts'
import { dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts } from '../texts/later/collect.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { watchesKey } from './use-watches.ts'

const isUnderWay = ({ status }: WatchRun) => status === 'pending' || status === 'running'
/** A run under way is asked for so often. */
const followMs = 5_000

/** Every run of a watch and what it came to, the last due first. */
export function Runs({ watchId }: { watchId: string }) {
  const owner = useOwner()
  const query = useInfiniteQuery({
    queryKey: [...watchesKey(owner), 'one', watchId, 'runs'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/watches/{watchId}/runs', { params: { path: { watchId }, query: pageAt(pageParam) }, signal }),
      ),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some(isUnderWay)) ? followMs : false,
  })
  const runs = query.data?.pages.flatMap((page) => page.results)
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">{texts.history}</h2>
      {runs === undefined &&
        (query.error === null ? <Loading /> : <Problem error={query.error} retry={query.refetch} />)}
      {runs?.length === 0 && <p className="note">{texts.noRuns}</p>}
      {runs && runs.length > 0 && <RunTable runs={runs} />}
      {runs && <MoreButton query={query} />}
    </section>
  )
}

const RunTable = ({ runs }: { runs: WatchRun[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.runTable}>
    <table className="runs">
      <caption className="unseen">{texts.history}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.runDue}</th>
          <th scope="col">{texts.runResult}</th>
          <th scope="col" className="number">
            {texts.runFound}
          </th>
          <th scope="col" className="number">
            {texts.runCredits}
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.runId}>
            <td>
              {run.jobId === null ? (
                dateAndTime(run.dueAt)
              ) : (
                <Link href={jobAddress(run.jobId)} aria-label={texts.jobOf(dateAndTime(run.dueAt))}>
                  {dateAndTime(run.dueAt)}
                </Link>
              )}
              <span className="note">{texts.trigger[run.trigger]}</span>
            </td>
            <td>
              <Result run={run} />
            </td>
            <td className="number">{run.jobId !== null && number(run.requestsCreated)}</td>
            <td className="number">{run.jobId !== null && number(run.credits)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const Result = ({ run: { skipped, status, maybeCreated, problems } }: { run: WatchRun }) =>
  skipped !== null ? (
    <>
      <span className="badge waiting">{texts.skippedState}</span> <span className="note">{texts.skipped[skipped]}</span>
    </>
  ) : status === null ? (
    '–'
  ) : (
    <>
      <span className={`badge ${status}`}>{collectTexts.jobStatus[status]}</span>{' '}
      {maybeCreated > 0 && <span className="note">{texts.maybe(maybeCreated)}</span>}
      {problems.map(({ platform, message }) => (
        <p key={platform} className="note">
          {platformTitle(platform)}: <bdi>{message}</bdi>
        </p>
      ))}
    </>
  )
