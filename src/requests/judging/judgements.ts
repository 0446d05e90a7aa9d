import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { judgedTextHash, recomputeStandings } from '../views/standings.ts'
import { recount } from '../wishes/recount.ts'
import type { ClaimedText } from './claims.ts'

export interface Judgement {
  text: ClaimedText
  /** 0 to 1 */
  confidence: number
  now: Date
}

/**
 * Stores a judgement, and derives the standings of its request again. A text that changed since it was sent, or is deleted, gets none.
 * @returns whether it was stored.
 */
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
        set text_hash = excluded.text_hash, confidence = excluded.confidence, judged_at = excluded.judged_at`.execute(
      transaction,
    )
    await sql`delete from judgement_tries where request_id = ${text.id}`.execute(transaction)
    await recomputeStandings(transaction, [text.id])
    await recount(transaction, { requests: [text.id] })
    return true
  })
