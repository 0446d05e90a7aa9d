import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'

/** The last value that each sequence gave; null for none. */
export async function readSequences(executor: Executor): Promise<Record<string, number | null>> {
  const { rows } = await sql<{ name: string; value: number | null }>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() order by sequencename collate "C"`.execute(executor)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Sequences go on where they were; those that gave no value begin. */
export async function setSequences(executor: Executor, values: Readonly<Record<string, number | null>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue
    await sql`select setval(quote_ident(current_schema()) || '.' || quote_ident(${name}), ${value}::bigint)`.execute(
      executor,
    )
  }
}
