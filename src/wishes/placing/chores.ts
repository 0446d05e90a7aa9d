import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { type ReadText, textHash } from '../../requests/judging/claims.ts'
import { normaliseText } from '../../runtime/text/normalise.ts'
import { type ComparedText, comparedLength, comparedTextOf, type PostedTitle } from '../pairs/compared-text.ts'
import { addNothing } from '../pairs/conflicts.ts'

/** Posts of one title on different days that make it recurring. */
const leastPosts = 3

/** A title without numbers and versions, which vary between repeats. */
const withoutNumbers = (title: string): string =>
  normaliseText(title)
    .split(' ')
    .filter((word) => !/\p{N}/u.test(word))
    .join(' ')

interface Posted extends ReadText, PostedTitle {
  description: string
  author: string | null
  day: string
  is_likely: boolean
}

const recurringTitleOf = ({ platform, sourceName, title }: PostedTitle): string =>
  hash('sha256', JSON.stringify([platform, sourceName, withoutNumbers(title)]))

/** Requests and chores with this title in its source, numbers aside. One statement, as it runs for each request. */
async function readTwinIds(
  executor: Executor,
  { platform, sourceName }: PostedTitle,
  recurringTitle: string,
  candidateIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string; title: string | null }>`
    select id, title from requests where id = any(${candidateIds}::uuid[]) and platform = ${platform}
      and source_name = ${sourceName}
    union all
    select * from (
      select request_id, null from request_judgements where recurring_title = ${recurringTitle} limit 16) as chores`.execute(
    executor,
  )
  const twins = rows.filter(
    ({ title }) => title === null || recurringTitleOf({ platform, sourceName, title }) === recurringTitle,
  )
  return [...new Set(twins.map(({ id }) => id))]
}

async function readPosted(executor: Executor, ids: readonly string[]): Promise<Posted[]> {
  const { rows } = await sql<Posted>`
    select id, title, left(description, ${sql.lit(comparedLength)}) as description, platform, source_name as "sourceName",
      coalesce(author_handle, author_name) as author, (posted_at at time zone 'UTC')::date::text as day,
      standing = 2 as is_likely, ${textHash} as text_hash
    from requests where id = any(${[...ids]}::uuid[])`.execute(executor)
  return rows
}

/** Whether nearly every post has its own author: then each is a wish. A rota of maintainers takes turns. */
function isByMany(posts: readonly Posted[]): boolean {
  const authors = new Set(posts.flatMap(({ author }) => author ?? []))
  return authors.size >= leastPosts && 4 * authors.size >= 3 * posts.length
}

export interface Recurrence {
  platform: PlatformName
  recurringTitle: string
  ids: string[]
  /** To be judged as chores: the request, and others taken for wishes before. */
  texts: ReadText[]
}

/**
 * Whether a request's title recurs in its source, so that others cannot join it (decision 046). `texts` is set if it
 * adds nothing to two others of other days: "Bump to the next version". Copies of one day, texts with words of their
 * own, and posts by nearly as many people are wishes. Null if the title does not recur.
 * @param candidateIds likely requests that match its title
 */
export async function readRecurrence(
  executor: Executor,
  id: string,
  { posted: place }: ComparedText,
  candidateIds: readonly string[],
): Promise<Recurrence | null> {
  // Without a source name, a whole platform would be one source.
  if (place.sourceName === null) return null
  const recurringTitle = recurringTitleOf(place)
  const ids = new Set([id, ...(await readTwinIds(executor, place, recurringTitle, candidateIds))])
  if (ids.size < leastPosts) return null
  // A former chore may have another title now.
  const read = await readPosted(executor, [...ids])
  const posted = read.filter((post) => recurringTitleOf(post) === recurringTitle)
  const own = posted.find((post) => post.id === id)
  if (own === undefined) return null
  const recurs = (posts: readonly Posted[]) =>
    new Set(posts.map(({ day }) => day)).size >= leastPosts && !isByMany(posts)
  if (!recurs(posted)) return null
  const text = comparedTextOf(own)
  const same = posted.filter((post) => post === own || addNothing(text, comparedTextOf(post)))
  const texts = recurs(same) ? same.filter((post) => post.is_likely || post === own) : []
  return { platform: own.platform, recurringTitle, ids: posted.map((post) => post.id), texts }
}
