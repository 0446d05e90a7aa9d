import { type Kysely, sql } from 'kysely'

const statements = [
  // What a live call asks for, written in the transaction that begins or joins its collections; null before that. Whether it
  // delivered is read from the tasks that this names.
  'alter table live_calls add column plan jsonb',

  // What a long call has done for good, while its answer is not kept yet: whoever repeats it goes on from here.
  'alter table idempotency_keys add column effect text',

  // The latest month that anything was booked in. The row itself may be of an earlier one, when a clock was set back; what
  // was used in a month that is not after this one is in the entries.
  'alter table credit_balances add column latest_month text',
  'update credit_balances set latest_month = month',
  `alter table credit_balances alter column latest_month set not null,
    add check (latest_month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'), add check (month <= latest_month)`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
