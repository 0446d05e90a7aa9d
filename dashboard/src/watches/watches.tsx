import type { ListedWatch } from '../api/types.ts'
import { NoWatches } from '../news/news.tsx'
import { channelsAddress, newWatch, watchAddress } from '../shell/addresses.ts'
import { dateAndTime, inHowLong, platformTitle } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { channelTexts } from '../texts/later/channels.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { useWatches } from './use-watches.ts'
import { LastRun, Spent, StateBadge } from './watch-parts.tsx'

/** Every watch of the account, with what it does and what it spends. */
export function WatchesPage() {
  const { data, error, refetch } = useWatches()
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <Link className="button" href={channelsAddress}>
            {channelTexts.title}
          </Link>
          <Link className="button primary" href={newWatch()}>
            {texts.make}
          </Link>
        </>
      }
    >
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <NoWatches />}
      {data && data.length > 0 && (
        <ul className="topics watches">
          {data.map((watch) => (
            <WatchLine key={watch.watchId} watch={watch} />
          ))}
        </ul>
      )}
    </Page>
  )
}

const WatchLine = ({ watch }: { watch: ListedWatch }) => (
  <li>
    <div className="watch-what">
      <p className="watch-name">
        <Link href={watchAddress(watch.watchId)} className="topic-name" dir="auto">
          {watch.name}
        </Link>{' '}
        <StateBadge state={watch.state} />
      </p>
      <p className="origin">
        {watch.topic !== watch.name && <bdi>{watch.topic}</bdi>}
        <span>{texts.schedule(watch.schedule)}</span>
        <span>{watch.platforms.map(platformTitle).join(', ')}</span>
      </p>
      <p className="origin">
        <LastRun run={watch.lastRun} />
        {watch.nextRunAt !== null && (
          <time dateTime={watch.nextRunAt} title={dateAndTime(watch.nextRunAt)}>
            {texts.next(inHowLong(watch.nextRunAt))}
          </time>
        )}
      </p>
    </div>
    <Spent watch={watch} />
  </li>
)
