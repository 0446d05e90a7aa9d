import { type RawBuilder, sql } from 'kysely'
import { type PlatformName, standings } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { thresholdsOf } from '../detection/detect.ts'
import { lockRequests } from '../store/request-locks.ts'
import { judgedTextHash, recomputeStandings } from '../store/standings.ts'
import { recount } from '../wish-numbers/recount.ts'

interface Judgement {
  text: ClaimedText
  /** 0 to 1 */
  confidence: number
  now: Date
}

/** Stores a judgement and updates standings. @returns false if the text was changed or deleted since. */
export const storeJudgement = (database: Database, { text, confidence, now }: Judgement): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    const stored = await transaction
      .selectFrom('requests')
      .select(['title', 'description'])
      .where('id', '=', text.id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    const hash = judgedTextHash(text)
    if (stored === undefined || judgedTextHash(stored) !== hash) return false
    await sql`
      insert into request_judgements (request_id, text_hash, confidence, judged_at)
      values (${text.id}, ${hash}, ${confidence}, ${now})
      on conflict (request_id) do update
        set text_hash = excluded.text_hash, confidence = excluded.confidence, judged_at = excluded.judged_at,
          recurring_title = null`.execute(transaction)
    await sql`delete from judgement_tries where request_id = ${text.id}`.execute(transaction)
    await recomputeStandings(transaction, [text.id])
    await recount(transaction, { requests: [text.id] })
    return true
  })

/** A request with `textHash` of the text that was read. */
export interface ReadText {
  id: string
  text_hash: string
}

/**
 * Judges likely requests with unchanged text as chores: maybe at most, unless the operator corrected them.
 * @param recurringTitle the hash that recognizes later requests with the same title
 */
export const storeChores = (
  database: Database,
  { texts, platform, recurringTitle }: { texts: readonly ReadText[]; platform: PlatformName; recurringTitle: string },
): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const ids = texts.map(({ id }) => id)
    await lockRequests(transaction, ids)
    const { likely, maybe } = thresholdsOf(platform)
    await sql`
      insert into request_judgements (request_id, text_hash, confidence, judged_at, recurring_title)
      select id, text_hash, ${(likely + maybe) / 2}, now(), ${recurringTitle}
      from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as read (id uuid, text_hash text) join requests using (id)
      where text_hash = ${textHash} and standing in (${sql.lit(standings.likely)}, ${sql.lit(standings.unlisted)})
        and requests.confidence >= ${maybe}
      on conflict (request_id) do update set text_hash = excluded.text_hash, confidence = excluded.confidence,
        judged_at = excluded.judged_at, recurring_title = excluded.recurring_title`.execute(transaction)
    await recomputeStandings(transaction, ids)
    await recount(transaction, { requests: ids })
  })

export interface ClaimedText {
  id: string
  platform: PlatformName
  title: string
  description: string
}

export interface ClaimInput {
  /** The maximum of a UTC day. */
  perDay: number
  excludedPlatforms: readonly PlatformName[]
  now: Date
}

/** `judgedTextHash` of `requests/store/standings.ts` in SQL, for a row of `requests`. */
export const textHash: RawBuilder<string> = sql<string>`encode(sha256(convert_to(title, 'UTF8') || '\\x00'::bytea || convert_to(description, 'UTF8')), 'hex')`

/** The most voted listed text of the class maybe that has no judgement and no recent try. */
const nextText = ({ excludedPlatforms, now }: ClaimInput): RawBuilder<ClaimedText & { text_hash: string }> => sql`
  select id, platform, title, description, ${textHash} as text_hash from requests
  where standing = ${sql.lit(standings.maybe)} and platform <> all(${[...excludedPlatforms]}::text[])
    and not exists (select from request_judgements as judgement
      where judgement.request_id = requests.id and judgement.text_hash = ${textHash})
    and not exists (select from judgement_tries as tried
      where tried.request_id = requests.id and tried.text_hash = ${textHash} and next_try_at > ${now}::timestamptz)
  order by votes desc, id desc limit 1`

const dayOf = (now: Date) => now.toISOString().slice(0, 10)

/** Counts one text of the day. @returns false, without counting, if the day has its maximum. */
async function countText(executor: Executor, { perDay, now }: ClaimInput): Promise<boolean> {
  const { rows } = await sql`
    insert into judgement_days as counted (day, judged) values (${dayOf(now)}::date, 1)
    on conflict (day) do update set judged = counted.judged + 1 where counted.judged < ${perDay} returning 1`.execute(
    executor,
  )
  return rows.length > 0
}

const maxRetryDays = 7

/** Caps the next try of texts at the longest wait from now (the clock may have moved). @returns how many. */
export async function correctJudgementTries(executor: Executor, now: Date): Promise<number> {
  const latest = new Date(now.getTime() + maxRetryDays * 86_400_000 + clockToleranceMs)
  const { numAffectedRows } = await sql`
    update judgement_tries set next_try_at = ${latest} where next_try_at > ${latest}::timestamptz`.execute(executor)
  return Number(numAffectedRows)
}

/**
 * Claims and counts the next text before it is sent: a crash can only lower the number sent. An unjudged text can be
 * claimed again after an hour, doubling each time up to a week.
 * @returns null if there is none, or the day has its maximum.
 */
export async function claimText(database: Database, input: ClaimInput): Promise<ClaimedText | null> {
  // Without a text nothing is written.
  const { rows: waiting } = await nextText(input).execute(database)
  if (waiting.length === 0) return null
  return database.transaction().execute(async (transaction) => {
    // This locks the day's row, so the next statement sees the claims of all other processes.
    if (!(await countText(transaction, input))) return null
    const { rows } = await sql<ClaimedText>`
      with next_text as materialized (${nextText(input)}),
      claimed as (
        insert into judgement_tries as tried (request_id, text_hash, tries, next_try_at)
        select id, text_hash, 1, ${input.now}::timestamptz + interval '1 hour' from next_text
        on conflict (request_id) do update set text_hash = excluded.text_hash,
          tries = case when tried.text_hash = excluded.text_hash then tried.tries + 1 else 1 end,
          next_try_at = case when tried.text_hash = excluded.text_hash
            then ${input.now}::timestamptz + least(${sql.lit(maxRetryDays)} * interval '1 day', interval '1 hour' * 2 ^ least(tried.tries, 10))
            else excluded.next_try_at end
      )
      select id, platform, title, description from next_text`.execute(transaction)
    const [text] = rows
    if (text) return text
    await sql`update judgement_days set judged = judged - 1 where day = ${dayOf(input.now)}::date`.execute(transaction)
    return null
  })
}
