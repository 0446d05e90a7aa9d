import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { countVoices } from '../../requests/voices/voices.ts'
import { dayMs } from '../../runtime/durations.ts'
import { readKnownSince } from './coverage.ts'
import {
  countedWeeks,
  findRisingOfRun,
  findTopicRise,
  leastVoices,
  pastOf,
  quietDays,
  type Rise,
  type TestedWish,
  testsOfRun,
} from './model.ts'

/** A request that a watch knows, as its account sees it; its wish fits the goal, or was not judged. */
export interface Post {
  requestId: string
  wishId: string
  platform: PlatformName
  postedAt: Date
}

/** A rising wish, and its requests of the seven days. */
export interface RisingWish extends Rise {
  wishId: string
  requestIds: string[]
}

interface Input {
  watchId: string
  posts: readonly Post[]
  since: Date
  now: Date
  retention: Retention
}

interface WishesInput extends Input {
  /** Wishes with a request that is new to the watch. */
  grownIds: ReadonlySet<string>
}

const weekMs = 7 * dayMs

/** The week of a post before a moment: -1 for the last seven days, 0 for the seven before. */
const weekOf = ({ postedAt }: Post, end: Date): number => Math.floor((end.getTime() - postedAt.getTime()) / weekMs) - 1

/** The ends of the tested windows: now, and each day back to the last tests. */
function endsOf({ since, now }: Input): Date[] {
  const length = testsOfRun((now.getTime() - since.getTime()) / dayMs)
  return Array.from({ length }, (_, day) => new Date(now.getTime() - day * dayMs))
}

/** How many weeks before the last seven days are known, for platforms with enough. */
function knownWeeks(knownSince: ReadonlyMap<PlatformName, Date>, end: Date): [PlatformName, number][] {
  return [...knownSince].flatMap(([platform, since]): [PlatformName, number][] => {
    const weeks = countedWeeks((end.getTime() - since.getTime()) / dayMs)
    return weeks === 0 ? [] : [[platform, weeks]]
  })
}

interface CountedWish extends TestedWish {
  wishId: string
  posts: Post[]
}

type CountVoices = (posts: readonly Post[]) => number

/** Counts a wish at a moment, on platforms with a known past. */
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

async function readVoices(executor: Executor, posts: readonly Post[]): Promise<CountVoices> {
  const { rows } = await sql<{ id: string; voice: string }>`
    select id, encode(voice, 'base64') as voice from requests where id = any(${posts.map(({ requestId }) => requestId)}::uuid[])`.execute(
    executor,
  )
  const voices = new Map(rows.map(({ id, voice }) => [id, Buffer.from(voice, 'base64')]))
  return (some) => countVoices(Buffer.concat(some.flatMap(({ requestId }) => voices.get(requestId) ?? []))).voices
}

/** Fitting rises that the watch told in the last 30 days. */
interface EarlierRises {
  /** Of wishes and the topic. */
  count: number
  requestIds: ReadonlySet<string>
  hasTopic: boolean
}

async function readEarlierRises(executor: Executor, { watchId, now }: Input): Promise<EarlierRises> {
  const after = new Date(now.getTime() - quietDays * dayMs)
  const { rows } = await sql<{ has_topic: boolean; rises: string[][] }>`
    select topic_rise is not null as has_topic,
      (select coalesce(json_agg(request_ids), '[]') from news_items where report_id = report.id and kind = 'rising'
        and fits is distinct from false) as rises
    from news_reports as report
    where watch_id = ${watchId} and made_at > ${after}::timestamptz and (rising > 0 or topic_rise is not null)`.execute(
    executor,
  )
  const rises = rows.flatMap((row) => row.rises)
  const ofTopic = rows.filter((row) => row.has_topic).length
  return { count: rises.length + ofTopic, requestIds: new Set(rises.flat()), hasTopic: ofTopic > 0 }
}

/** The wishes that may rise: something is new, and some seven days have enough requests. */
function candidatesOf({ grownIds, posts }: WishesInput, ends: readonly Date[]): Map<string, Post[]> {
  const grown = Map.groupBy(
    posts.filter(({ wishId }) => grownIds.has(wishId)),
    ({ wishId }) => wishId,
  )
  const isBusy = (some: readonly Post[]) =>
    ends.some((end) => some.filter((post) => weekOf(post, end) === -1).length >= leastVoices)
  return new Map([...grown].filter(([, some]) => isBusy(some)))
}

interface Tested {
  ends: readonly Date[]
  knownSince: ReadonlyMap<PlatformName, Date>
  earlier: EarlierRises
}

const readTested = async (executor: Executor, input: Input): Promise<Tested> => ({
  ends: endsOf(input),
  knownSince: await readKnownSince(executor, input),
  earlier: await readEarlierRises(executor, input),
})

const length: CountVoices = (posts) => posts.length

async function findWishes(
  executor: Executor,
  { posts: all }: Input,
  { ends, knownSince, earlier, candidates }: Tested & { candidates: ReadonlyMap<string, readonly Post[]> },
): Promise<RisingWish[]> {
  if (candidates.size === 0) return []
  const voicesOf = await readVoices(executor, [...candidates.values()].flat())
  const byWish = Map.groupBy(all, ({ wishId }) => wishId)
  const isTested = ({ wishId }: CountedWish) =>
    candidates.get(wishId)?.every(({ requestId }) => !earlier.requestIds.has(requestId)) ?? false
  const wishesAt = (end: Date) => {
    const known = knownWeeks(knownSince, end)
    if (known.length === 0) return []
    return [...byWish].map(([wishId, posts]) =>
      countWish(wishId, posts, { end, known, countOf: candidates.has(wishId) ? voicesOf : length }),
    )
  }
  return findRisingOfRun(ends, { wishesAt, isTested, alarms: earlier.count }).map(({ wish, end: _, ...rise }) => ({
    ...rise,
    wishId: wish.wishId,
    requestIds: wish.posts.map(({ requestId }) => requestId),
  }))
}

/** Whether a topic rises beyond the already told rising wishes. Counts requests first, an upper bound of voices. */
async function findTopic(
  executor: Executor,
  { posts }: Input,
  { ends, knownSince, earlier, rising }: Tested & { rising: readonly RisingWish[] },
): Promise<Rise | null> {
  if (earlier.hasTopic) return null
  const told = posts.flatMap(({ requestId, wishId }) => (earlier.requestIds.has(requestId) ? [wishId] : []))
  const toldIds = new Set([...told, ...rising.map(({ wishId }) => wishId)])
  const others = posts.filter(({ wishId }) => !toldIds.has(wishId))
  for (const end of ends) {
    const topic = countWish('', others, { end, known: knownWeeks(knownSince, end), countOf: length })
    if (findTopicRise(topic) === null) continue
    const countOf = await readVoices(executor, topic.posts)
    const rise = findTopicRise({ ...topic, recent: countOf(topic.posts) })
    if (rise !== null) return rise
  }
  return null
}

/**
 * The watch's wishes that rise beyond their own past, most surprising first, and whether the topic rises without them.
 * Reads nothing if no wish grew. Counts voices only of candidates, requests of the others.
 */
export async function findRises(
  executor: Executor,
  input: WishesInput,
): Promise<{ wishes: RisingWish[]; topic: Rise | null }> {
  if (input.grownIds.size === 0) return { wishes: [], topic: null }
  const tested = await readTested(executor, input)
  const wishes = await findWishes(executor, input, { ...tested, candidates: candidatesOf(input, tested.ends) })
  return { wishes, topic: await findTopic(executor, input, { ...tested, rising: wishes }) }
}

/** Whether a topic rises without the already told wishes. */
export const findRisingTopic = async (executor: Executor, input: Input): Promise<Rise | null> =>
  findTopic(executor, input, { ...(await readTested(executor, input)), rising: [] })
