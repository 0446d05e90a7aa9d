import { sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { wishLink } from '../../http/addresses.ts'
import { isShown, requestColumns, type View } from '../../requests/view.ts'
import { readWishIds, readWishNumbers } from '../../requests/wish-numbers/numbers.ts'

/** A stored item of a report. */
export interface StoredItem {
  reportId: string
  kind: NewsKind
  wishId: string
  requestIds: string[]
  votesGained: number
  requestsGained: number
  fits: boolean | null
  voices: number | null
  expected: number | null
  chance: number | null
}

export interface StoredRise {
  voices: number
  expected: number
  chance: number
}

/** How a wish, or topic, rises beyond its past. */
export interface ShownRise {
  /** People who asked in seven days. */
  voices: number
  /** How many its past made likely. */
  expected: number
  /** The rise is to be expected once in this many weeks. */
  onceIn: number
}

/** A wish in the news, with current texts and numbers. */
export interface NewsItem {
  wishId: string
  /** The request that was completed or declined; else the one that gives the wish its title. */
  requestId: string
  title: string
  /** The start of its text, in one line. */
  excerpt: string
  url: string
  votes: number
  votesGained: number
  requestsGained: number
  platforms: PlatformName[]
  /** Of the completed or declined request; else of the wish. */
  status: RequestStatus | null
  rise: ShownRise | null
}

/** A showable item, with the post it comes from. */
export interface ShownItem extends NewsItem {
  kind: NewsKind
  fits: boolean | null
  stored: StoredItem
}

export interface ShowOptions {
  view: View
  publicUrl: string
}

interface TitleRow {
  id: string
  title: string
  beginning: string
  status: RequestStatus | null
}

/** Two lines of a mail. */
const excerptLength = 160

/** A text's start in one line, cut at a nearby end of a word. */
function excerptOf(beginning: string): string {
  const text = beginning.replace(/\s+/gu, ' ').trim()
  const characters = Array.from(text)
  if (characters.length <= excerptLength) return text
  const cut = characters.slice(0, excerptLength).join('')
  return `${cut.replace(/\s\S{0,30}$/u, '')} …`
}

async function readTitles(executor: Executor, ids: readonly string[], view: View): Promise<Map<string, TitleRow>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<TitleRow>`
    select id, title, left(description, ${sql.lit(4 * excerptLength)}) as beginning, status from requests
    where id = any(${[...ids]}::uuid[]) and ${isShown({ ...view, least: 2 }, requestColumns)}`.execute(executor)
  return new Map(rows.map((row) => [row.id, row]))
}

const maxOnceIn = 1_000_000

export const toRise = ({ voices, expected, chance }: StoredRise): ShownRise => ({
  voices,
  expected,
  onceIn: Math.round(Math.min(1 / chance, maxOnceIn)),
})

const riseOf = ({ voices, expected, chance }: StoredItem): ShownRise | null =>
  voices === null || expected === null || chance === null ? null : toRise({ voices, expected, chance })

/** Items as they are now in the account's view, without deleted or hidden ones; merged wishes by their target. */
export async function showItems(
  executor: Executor,
  items: readonly StoredItem[],
  { view, publicUrl }: ShowOptions,
): Promise<ShownItem[]> {
  const wishIds = await readWishIds(
    executor,
    items.flatMap(({ requestIds }) => requestIds),
    view,
  )
  const numbers = await readWishNumbers(executor, [...new Set(wishIds.values())], view)
  const resolved = items.flatMap((stored) => {
    const living = stored.requestIds.filter((id) => wishIds.has(id))
    const cause = living.find((id) => wishIds.get(id) === stored.wishId) ?? living[0]
    const wish = cause === undefined ? undefined : numbers.get(wishIds.get(cause) ?? '')
    if (cause === undefined || wish === undefined) return []
    const isOfRequest = stored.kind === 'completed' || stored.kind === 'declined'
    return [{ stored, wish, isOfRequest, requestId: isOfRequest ? cause : wish.topRequestId }]
  })
  const titles = await readTitles(executor, [...new Set(resolved.map(({ requestId }) => requestId))], view)
  return resolved.flatMap(({ stored, wish, isOfRequest, requestId }) => {
    const request = titles.get(requestId)
    if (request === undefined) return []
    const { kind, fits, votesGained, requestsGained } = stored
    const { wishId, votes, platforms } = wish
    const status = isOfRequest ? request.status : wish.status
    const url = wishLink(publicUrl, wishId)
    const { title, beginning } = request
    const excerpt = excerptOf(beginning)
    const gained = { votesGained, requestsGained, rise: riseOf(stored) }
    const item = { wishId, requestId, title, excerpt, url, votes, platforms, status, ...gained }
    return [{ kind, fits, stored, ...item }]
  })
}

/** SQL on `news_items as item`: the columns of a `StoredItem`. */
export const storedColumns = sql`item.report_id as "reportId", item.kind, item.wish_id as "wishId", item.request_ids as "requestIds",
  item.votes_gained as "votesGained", item.requests_gained as "requestsGained", item.fits, item.voices, item.expected, item.chance`

/** SQL on `news_items as item`: whether its kind is told. */
export const isTold = (muted: readonly NewsKind[]) => sql<boolean>`item.kind <> all(${[...muted]}::text[])`

export type Counts = Record<'new_wishes' | 'grown' | 'completed' | 'declined' | 'rising', number>

/** The number of told items of each kind. */
export const countsOf = (
  { new_wishes, grown, completed, declined, rising }: Counts,
  muted: readonly NewsKind[],
): Record<NewsKind, number> => ({
  ...{ new: new_wishes, grown, completed, declined, rising },
  ...Object.fromEntries(muted.map((kind) => [kind, 0])),
})

const sectionNames = ['rising', 'newWishes', 'grown', 'completed', 'declined', 'other'] as const

type SectionName = (typeof sectionNames)[number]

const kindOf = {
  rising: 'rising',
  newWishes: 'new',
  grown: 'grown',
  completed: 'completed',
  declined: 'declined',
} as const

const shownInSection = 50

export interface ListedNews extends Record<SectionName, NewsItem[]> {
  watchId: string
  watchName: string
  topic: string
  goal: string | null
  /** Set if the topic as a whole rises. */
  topicRise: ShownRise | null
  totals: Record<SectionName, number>
}

const toNewsItem = ({ kind: _kind, fits: _fits, stored: _stored, ...item }: ShownItem): NewsItem => item

/** The lists of news; misfits of the goal get their own. @param found items per kind, before leaving out any */
export function listItems(
  shown: readonly ShownItem[],
  { found, kept }: { found: Record<NewsKind, number>; kept: readonly StoredItem[] },
): Pick<ListedNews, SectionName | 'totals'> {
  const listed = (name: SectionName) =>
    shown.filter(({ kind, fits }) =>
      // Rising items are also in another list.
      fits === false ? name === 'other' && kind !== 'rising' : name !== 'other' && kind === kindOf[name],
    )
  const unkept = (kind: NewsKind) => found[kind] - kept.filter((item) => item.kind === kind).length
  const listsOf = <T>(make: (name: SectionName) => T) =>
    Object.fromEntries(sectionNames.map((name) => [name, make(name)])) as Record<SectionName, T>
  return {
    totals: listsOf((name) => listed(name).length + (name === 'other' ? 0 : unkept(kindOf[name]))),
    ...listsOf((name) => listed(name).slice(0, shownInSection).map(toNewsItem)),
  }
}
