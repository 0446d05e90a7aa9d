import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import { detect } from '../../detection/detect.ts'
import { maxRawDescription } from '../../detection/normal-text.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { recomputeStandings, standingOfConfidence } from '../views/standings.ts'
import { statusOfTags } from './stored-status.ts'

/** The maximum rows that one transaction judges: in the embedded backend all other statements wait for it. */
const maxSliceRows = 100
/** After a slice, other work has the database to itself for so many times as long as the slice took. */
const pauseFactor = 4

interface Unjudged {
  id: string
  platform: PlatformName
  title: string
  description: string
  tags: string[]
}

/**
 * Rows with what detection reads of them, from a random id on, so that several processes seldom take the same ones, and no scan passes all the rows that were
 * judged before.
 */
async function readSlice(database: Database, rows: number): Promise<Unjudged[]> {
  const read = async (from: string) => {
    const found = await sql<Unjudged>`
      select id, platform, title, left(description, ${sql.lit(maxRawDescription)}) as description, tags from requests
      where confidence is null and id >= ${from}::uuid order by id limit ${rows}`.execute(database)
    return found.rows
  }
  const found = await read(crypto.randomUUID())
  return found.length > 0 ? found : read('00000000-0000-0000-0000-000000000000')
}

/** Outside of any transaction. The event loop runs between two texts. */
async function judge(rows: readonly Unjudged[]) {
  const pause = createPauses()
  const judged = []
  for (const row of rows) {
    const { confidence } = detect(row)
    const standing = standingOfConfidence(confidence, row.platform)
    judged.push({ id: row.id, confidence, standing, status: statusOfTags(row.platform, row.tags) })
    await pause()
  }
  return judged
}

/** What another process or a page has judged meanwhile stays; a row without confidence still has the text that was read. */
const writeSlice = (database: Database, judged: Awaited<ReturnType<typeof judge>>) =>
  database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      with judged as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(judged)}::jsonb)
          as judged (id uuid, confidence real, standing smallint, status text)
      ), unjudged as materialized (
        select id from requests where id = any(array(select id from judged)) and confidence is null
        order by platform, source_id for update skip locked
      )
      update requests set confidence = judged.confidence, status = coalesce(requests.status, judged.status),
        standing = case when requests.standing = -1 then -1 else judged.standing end
      from judged join unjudged using (id) where requests.id = judged.id
      returning requests.id`.execute(transaction)
    const ids = rows.map(({ id }) => id)
    await recomputeStandings(transaction, ids)
  })

/**
 * Judges requests of version 1, which have no confidence, and gives them the status that their tags say: a slice of them. Until then they
 * count as likely, as they did.
 * @returns whether there may be more.
 */
export async function judgeStoredRequests(database: Database, sliceRows = maxSliceRows): Promise<boolean> {
  const rows = await readSlice(database, sliceRows)
  if (rows.length === 0) return false
  await writeSlice(database, await judge(rows))
  return true
}

/** Judges requests of version 1, in the background, until there is none. What a stop leaves is judged after the next start. */
export const createFirstJudgements = (database: Database, log: Pick<Logger, 'error'>): BackgroundRun =>
  createBackgroundRun({
    step: () => judgeStoredRequests(database),
    pauseFactor,
    onError: (error) => log.error({ err: error }, 'judging stored requests failed'),
  })
