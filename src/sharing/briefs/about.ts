import type { Database } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { invalidField } from '../../http/validation.ts'
import { parseBodyFilters } from '../../requests/filters/filters.ts'
import { type Include, includes } from '../../requests/views/include.ts'
import { countRequests } from '../../search/list/counts.ts'
import type { SearchIndex, TotalsOfSearch } from '../../search/search-index.ts'
import { checkView, type ListView, publicOnly } from '../pages/view.ts'
import type { BriefDocument, NewBrief } from './schemas.ts'

/** What a brief is about: its list of wishes, and the list's description. */
export interface About {
  view: ListView
  shown: Omit<BriefDocument['about'], 'searched'>
}

type Reader = Pick<Account, 'accountId' | 'hasOwnView'>

/** A watch's topic and news filters. */
export interface WatchedTopic {
  topic: string
  filters: Record<string, unknown>
}

/** Reads a watch of the account; null if it has none with this id. */
export type FindWatch = (accountId: string, watchId: string) => Promise<WatchedTopic | null>

/** What a call asks for. @param watched the topic of its `watchId` @throws ServiceError INVALID_REQUEST */
export function readAbout(given: NewBrief, watched: WatchedTopic | null, reader: Reader): About {
  const { topic: own, query, filters = {}, period = {} } = given
  if ([own, query, given.watchId].filter((one) => one !== undefined).length > 1)
    throw invalidField('body', 'must have one of topic, query and watchId')
  if (Object.keys(filters).length > 0 && given.watchId !== undefined)
    throw invalidField('filters', 'are those of the watch with watchId')
  if (own === undefined && query === undefined && given.watchId === undefined && Object.keys(filters).length === 0)
    throw invalidField('body', 'must have topic, query, filters or watchId')
  if (own !== undefined && filters.topic !== undefined)
    throw invalidField('filters.topic', 'is not for a brief with topic')
  for (const name of ['since', 'until'] as const)
    if (period[name] !== undefined && filters[name] !== undefined)
      throw invalidField(`period.${name}`, 'is not for a brief whose filters have it')
  const { include: _include, topic: _topic, ...watchedFilters } = watched?.filters ?? {}
  const topic = own ?? watched?.topic
  const view: ListView = {
    ...(query === undefined ? {} : { query }),
    filters: { ...watchedFilters, ...filters, ...period, ...(topic === undefined ? {} : { topic }) },
  }
  checkView(view, reader)
  const { topic: shownTopic = null, since = null, until = null, ...others } = view.filters ?? {}
  const shownFilters = Object.keys(others).length === 0 ? null : others
  return { view, shown: { topic: shownTopic, query: query ?? null, filters: shownFilters, since, until } }
}

interface TextCounts {
  likely: number
  maybe: number
  unlikely: number
  /** False if there are more likely ones. */
  isExact: boolean
}

/** Counts public texts per class, as the account sees them. @param searched the query as searched; null for a list */
export async function countTexts(
  view: ListView,
  searched: TotalsOfSearch | null,
  reader: Reader,
  { database, searchIndex }: { database: Database; searchIndex: SearchIndex },
): Promise<TextCounts> {
  const { mark: _mark, starred: _starred, ...filters } = view.filters ?? {}
  const count = async (include: { include?: Include }) => {
    const given = parseBodyFilters({ ...filters, ...include }, reader)
    const parsed = publicOnly(given, reader)
    return searched === null
      ? countRequests(database, parsed, { facets: [] })
      : searchIndex.totals(database, { ...searched, filters: parsed })
  }
  const [likely, withMaybe, all] = [
    await count({}),
    await count({ include: includes[0] }),
    await count({ include: includes[1] }),
  ]
  return {
    likely: likely.total,
    maybe: withMaybe.total - likely.total,
    unlikely: all.total - withMaybe.total,
    isExact: likely.totalIsExact,
  }
}
