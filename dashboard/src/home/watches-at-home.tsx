import { newsAddress, newWatch, watchAddress, watchesAddress } from '../shell/addresses.ts'
import { dateAndTime, inHowLong } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { homeTexts as texts } from '../texts/home.ts'
import { watchTexts } from '../texts/watches.ts'
import { useWatches } from '../watches/use-watches.ts'
import { LastRun } from '../watches/watch-parts.tsx'

const shownWatches = 6

/** The watches with their last and next run. */
export function WatchesAtHome() {
  const { data, error, refetch } = useWatches()
  return (
    <section aria-labelledby="home-watches">
      <h2 id="home-watches">{watchTexts.title}</h2>
      {!data && error !== null && <Problem error={error} retry={refetch} />}
      {data?.length === 0 && (
        <p className="note">
          {texts.noWatches} <Link href={newWatch()}>{watchTexts.make}</Link>
        </p>
      )}
      {data && data.length > 0 && (
        <>
          <ul className="home-watches">
            {data.slice(0, shownWatches).map((watch) => (
              <li key={watch.watchId}>
                <Link href={watchAddress(watch.watchId)} dir="auto">
                  {watch.name}
                </Link>
                <span className="note">
                  <LastRun run={watch.lastRun} />
                  {watch.nextRunAt !== null && (
                    <time dateTime={watch.nextRunAt} title={dateAndTime(watch.nextRunAt)}>
                      {' · '}
                      {watchTexts.next(inHowLong(watch.nextRunAt))}
                    </time>
                  )}
                </span>
              </li>
            ))}
          </ul>
          <p className="actions">
            <Link href={newsAddress}>{texts.newsOfWatches}</Link>
            {data.length > shownWatches && <Link href={watchesAddress}>{texts.allWatches}</Link>}
          </p>
        </>
      )}
    </section>
  )
}
