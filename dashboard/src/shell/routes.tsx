import type { ReactNode } from 'react'
import { HomePage } from '../home/home.tsx'
import { WishesPage } from '../wishes/wishes.tsx'
import { importAddress, newsAddress, watchesAddress } from './addresses.ts'
import { later } from './later.ts'

// The home and the list are in the first script; every other page is loaded when it is opened.

const WishPage = later(async () => (await import('../wishes/wish-page.tsx')).WishPage)
const TopicsPage = later(async () => (await import('../wishes/topics.tsx')).TopicsPage)
const CollectPage = later(async () => (await import('../collect/collect.tsx')).CollectPage)
const ImportPage = later(async () => (await import('../feedback/import.tsx')).ImportPage)
const JobPage = later(async () => (await import('../collect/job.tsx')).JobPage)
const WatchesPage = later(async () => (await import('../watches/watches.tsx')).WatchesPage)
const NewWatchPage = later(async () => (await import('../watches/new-watch.tsx')).NewWatchPage)
const WatchPage = later(async () => (await import('../watches/watch.tsx')).WatchPage)
const NewsPage = later(async () => (await import('../news/news.tsx')).NewsPage)
const ReviewPage = later(async () => (await import('../review/review.tsx')).ReviewPage)
const BriefsPage = later(async () => (await import('../briefs/briefs.tsx')).BriefsPage)
const BriefPage = later(async () => (await import('../briefs/brief.tsx')).BriefPage)
const SettingsPages = later(async () => (await import('../settings/settings.tsx')).SettingsPages)
export const OperatorPages = later(async () => (await import('../operator/operator.tsx')).OperatorPages)

/** The page of an account at an address; null where there is none. */
export function accountPage([first, second, ...rest]: string[]): ReactNode {
  if (rest.length > 0) return null
  if (first === undefined) return <HomePage />
  if (first === 'settings') return <SettingsPages part={second} />
  if (second === undefined) {
    if (first === 'wishes') return <WishesPage />
    if (first === 'topics') return <TopicsPage />
    if (first === 'collect') return <CollectPage />
    if (first === 'watches') return <WatchesPage />
    if (first === 'review') return <ReviewPage />
    if (first === 'briefs') return <BriefsPage />
    return null
  }
  if (first === 'wishes') return <WishPage key={second} wishId={second} />
  if (first === 'briefs') return <BriefPage key={second} briefId={second} />
  if (`/${first}/${second}` === importAddress) return <ImportPage />
  if (first === 'collect') return <JobPage key={second} jobId={second} />
  if (`/${first}/${second}` === newsAddress) return <NewsPage />
  if (first === 'watches' && second === 'new') return <NewWatchPage />
  if (`/${first}` === watchesAddress) return <WatchPage key={second} watchId={second} />
  return null
}

/** The address that replaced one of an earlier version, which may be in a mail or a bookmark; null for any other. */
export function movedTo(path: string, search: string): string | null {
  const parameters = new URLSearchParams(search)
  const topic = parameters.get('topic')
  if (path === '/topics/one' && topic !== null) return `/wishes?${new URLSearchParams({ topic })}`
  if (path === '/news') return newsAddress
  if (path === '/channels') return '/settings/channels'
  if (path === '/account') return '/settings'
  if (path === '/' && search !== '') return `/wishes${search}`
  return null
}
