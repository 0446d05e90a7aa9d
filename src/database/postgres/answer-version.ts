import { sql } from 'kysely'
import type { Executor } from '../open.ts'

/** The version of what answers are built from, as the server of the executor has it: `row:version` of each row, in their order. */
export async function readAnswerVersion(executor: Executor): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select coalesce(string_agg(row_number || ':' || version, ',' order by row_number), '') as version
    from answer_versions`.execute(executor)
  return rows[0]?.version ?? ''
}
