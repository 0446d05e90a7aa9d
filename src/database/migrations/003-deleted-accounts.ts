import { type Kysely, sql } from 'kysely'

const statements = [
  // A deleted account keeps its row, because its ledger refers to it.
  'alter table accounts add column deleted_at timestamptz',
  'alter table api_keys add column last_used_at timestamptz',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
