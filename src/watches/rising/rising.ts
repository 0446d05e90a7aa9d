import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { dayMs } from '../../requests/timeline.ts'
import { countVoices } from '../../requests/voices/voices.ts'
import { readKnownSince } from './coverage.ts'
import { findRising, leastVoices, leastWeeks, maxWeeks, pastOf, type Rise, type TestedWish } from './model.ts'

/** A request that a watch knows, as its account sees it. */
export interface Post {
  requestId: string
  wishId: string
  platform: PlatformName
  postedAt: Date
}

/** A wish that rises, and its requests of the seven days. */
export interface RisingWish extends Omit<Rise<unknown>, 'wish'> {
  wishId: string
  requestIds: string[]
}

interface Input {
  watchId: string
  /** All that the watch knows and its account sees. */
  posts: readonly Post[]
  /** Wishes with a request that is new to the watch. */
  grownIds: ReadonlySet<string>
  /** When the tests before were made. */
  since: Date
  now: Date
  retention: Retention
}

const weekMs = 7 * dayMs
/** Days of which the tests are made up for. */
const maxDays = 7
/** A wish that rose is not told again for so long. */
const quietDays = 30

/** The week of a post before a moment: -1 for the last seven days, 0 for those before. */
const weekOf = ({ postedAt }: Post, end: Date): number => Math.floor((end.getTime() - postedAt.getTime()) / weekMs) - 1

/** The ends of the seven days that are tested: now, and each day before it since the last tests. */
function endsOf({ since, now }: Input): Date[] {
  const days = Math.min(maxDays, Math.max(1, Math.round((now.getTime() - since.getTime()) / dayMs)))
  return Array.from({ length: days }, (_, day) => new Date(now.getTime() - day * dayMs))
}

/** How many weeks are known before the last seven days, for the platforms whose past is long enough. */
function knownWeeks(knownSince: ReadonlyMap<PlatformName, Date>, end: Date): [PlatformName, number][] {
  return [...knownSince].flatMap(([platform, since]): [PlatformName, number][] => {
    const weeks = Math.floor((end.getTime() - since.getTime()) / weekMs) - 1
    return weeks < leastWeeks ? [] : [[platform, Math.min(weeks, maxWeeks)]]
  })
}

interface CountedWish extends TestedWish {
  wishId: string
  /** Of the last seven days. */
  posts: Post[]
}

type CountVoices = (posts: readonly Post[]) => number

/** Counts a wish at a moment, on the platforms whose past is known. */
function countWish(
  wishId: string,
  posts: readonly Post[],
  { end, known, countOf }: { end: Date; known: readonly [PlatformName, number][]; countOf: CountVoices },
): CountedWish {
  const byPlatform = Map.groupBy(posts, ({ platform }) => platform)
  const last: Post[] = []
  const past = known.map(([platform, weeks]) => {
    const voices = new Map<number, number>()
    for (const [week, some] of Map.groupBy(byPlatform.get(platform) ?? [], (post) => weekOf(post, end))) {
      if (week === -1) last.push(...some)
      else if (week >= 0 && week < weeks) voices.set(week, countOf(some))
    }
    return pastOf(voices, weeks)
  })
  return { wishId, recent: countOf(last), past, posts: last }
}

/** What the texts and authors of some requests are told from each other by. */
async function readVoices(executor: Executor, posts: readonly Post[]): Promise<CountVoices> {
  const { rows } = await sql<{ id: string; voice: string }>`
    select id, encode(voice, 'base64') as voice from requests where id = any(${posts.map(({ requestId }) => requestId)}::uuid[])`.execute(
    executor,
  )
  const voices = new Map(rows.map(({ id, voice }) => [id, Buffer.from(voice, 'base64')]))
  return (some) => countVoices(Buffer.concat(some.flatMap(({ requestId }) => voices.get(requestId) ?? []))).voices
}

/** The requests of each rise that a watch told in the last 30 days. */
async function readEarlierRises(executor: Executor, { watchId, now }: Input): Promise<string[][]> {
  const after = new Date(now.getTime() - quietDays * dayMs)
  const { rows } = await sql<{ request_ids: string[] }>`
    select request_ids from news_reports as report join news_items as item on item.report_id = report.id
    where report.watch_id = ${watchId} and report.made_at > ${after}::timestamptz and item.kind = 'rising'`.execute(
    executor,
  )
  return rows.map((row) => row.request_ids)
}

/** The wishes that may rise: something of them is new, and there are enough requests in some seven days. */
function candidatesOf({ grownIds, posts }: Input, ends: readonly Date[]): Map<string, Post[]> {
  const grown = Map.groupBy(
    posts.filter(({ wishId }) => grownIds.has(wishId)),
    ({ wishId }) => wishId,
  )
  const isBusy = (some: readonly Post[]) =>
    ends.some((end) => some.filter((post) => weekOf(post, end) === -1).length >= leastVoices)
  return new Map([...grown].filter(([, some]) => isBusy(some)))
}

/**
 * The wishes of a watch that rise beyond their own past, the most surprising first. Reads nothing where no wish has enough requests, and the voices
 * of those wishes alone: of the others requests are counted, which says how usual they are.
 */
export async function findRisingWishes(executor: Executor, input: Input): Promise<RisingWish[]> {
  const ends = endsOf(input)
  const candidates = candidatesOf(input, ends)
  if (candidates.size === 0) return []
  const knownSince = await readKnownSince(executor, input)
  const earlier = await readEarlierRises(executor, input)
  const told = new Set(earlier.flat())
  const voicesOf = await readVoices(executor, [...candidates.values()].flat())
  const byWish = Map.groupBy(input.posts, ({ wishId }) => wishId)
  const isTested = ({ wishId }: CountedWish) =>
    candidates.get(wishId)?.every(({ requestId }) => !told.has(requestId)) ?? false
  const found = new Map<string, Rise<CountedWish>>()
  for (const end of ends) {
    const known = knownWeeks(knownSince, end)
    if (known.length === 0) continue
    const wishes = [...byWish].map(([wishId, posts]) => {
      const countOf: CountVoices = candidates.has(wishId) ? voicesOf : ({ length }) => length
      return countWish(wishId, posts, { end, known, countOf })
    })
    for (const rise of findRising(wishes, { isTested, alarms: earlier.length })) {
      const before = found.get(rise.wish.wishId)
      if (before === undefined || rise.chance < before.chance) found.set(rise.wish.wishId, rise)
    }
  }
  return [...found.values()]
    .sort((a, b) => a.chance - b.chance)
    .map(({ wish: { wishId, posts }, ...rise }) => ({
      ...rise,
      wishId,
      requestIds: posts.map((post) => post.requestId),
    }))
}
