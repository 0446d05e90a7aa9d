import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import type { Observation } from './catalogue.ts'
import type { Collector } from './collectors.ts'

const none = { reserved: 0, settled: 0, released: 0, granted: 0, paygHeld: 0, paygSettled: 0 }
type Sums = typeof none

function add(one: Sums, other: Sums): Sums {
  const names = Object.keys(none) as (keyof Sums)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Sums
}

const heldChange = sql`(pool_held_change + payg_held_change)`
const sums = sql`
  coalesce(sum(${heldChange}) filter (where kind = 'reserve'), 0)::float8 as reserved,
  coalesce(sum(-${heldChange}) filter (where kind = 'settle'), 0)::float8 as settled,
  coalesce(sum(-${heldChange}) filter (where kind = 'release'), 0)::float8 as released,
  coalesce(sum(payg_granted_change), 0)::float8 as granted,
  coalesce(sum(payg_held_change), 0)::float8 as "paygHeld",
  coalesce(sum(payg_settled_change), 0)::float8 as "paygSettled"`

/** Entries per statement, a few ms. */
const sliceSize = 20_000
/** Entries summed per reading while an open transaction keeps them from becoming final. */
const maxOpenEntries = 100_000

/** How far the ledger is summed for good. */
interface Progress {
  /** No entry up to this one can be added anymore. */
  id: number
  sums: Sums
  /** The newest entry of an earlier reading, and the end of transaction ids then; null before the first. */
  pending: { id: number; end: bigint } | null
}

/** The newest entry, and the running transactions. */
async function readPosition(database: Database): Promise<{ id: number; oldest: bigint; end: bigint }> {
  const { rows } = await sql<{ id: number; oldest: string; end: string }>`
    select coalesce((select max(id) from credit_entries), 0)::float8 as id,
      pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as end
    `.execute(database)
  const { id, oldest, end } = rows[0]!
  return { id, oldest: BigInt(oldest), end: BigInt(end) }
}

async function addSlices(database: Database, { id: from, sums: known }: Progress, last: number) {
  let total = known
  for (let id = from; id < last; id += sliceSize) {
    const until = Math.min(last, id + sliceSize)
    const { rows } = await sql<Sums>`
      select ${sums} from credit_entries where id > ${id} and id <= ${until}`.execute(database)
    total = add(total, rows[0]!)
  }
  return { id: last, sums: total }
}

/**
 * Adds entries that became final. They are numbered before commit, so entries up to a number are final once every
 * transaction running at its assignment has ended. (Each has its id before: it writes balances first.)
 */
async function extend(database: Database, known: Progress): Promise<Progress> {
  const first = known.pending ?? (await readPosition(database))
  const now = await readPosition(database)
  const isFinal = now.oldest >= first.end
  const final = isFinal ? await addSlices(database, known, first.id) : known
  if (now.id - final.id > maxOpenEntries) throw new Error('transactions that stay open keep the ledger from being read')
  return { ...final, pending: isFinal ? now : first }
}

interface Newest extends Sums {
  heldByReservations: number
  paygHeldByBalances: number
  paygBalance: number
}

/** The entries after the final ones, and the open reservations and balances they must match; one snapshot. */
async function readNewest(database: Database, after: number): Promise<Newest> {
  const { rows } = await sql<Newest>`
    with newest as (select ${sums} from credit_entries where id > ${after}),
    held as (
      select pool_part + payg_part as credits from scrape_jobs
        join credit_reservations on job_id = scrape_jobs.id and state = 'open' where ended_at is null
      union all
      select pool_part + payg_part from live_calls join credit_reservations on call_id = live_calls.id and state = 'open'
    )
    select newest.*, (select coalesce(sum(credits), 0)::float8 from held) as "heldByReservations", balances.*
    from newest, (
      select coalesce(sum(payg_held), 0)::float8 as "paygHeldByBalances", coalesce(sum(payg_balance), 0)::float8 as "paygBalance"
      from credit_balances
    ) as balances`.execute(database)
  return rows[0]!
}

function observe(total: Sums, { heldByReservations, paygHeldByBalances, paygBalance }: Newest): Observation[] {
  const { reserved, settled, released, granted, paygHeld, paygSettled } = total
  const movements = { reserved, settled, released, granted }
  const drift = {
    held: heldByReservations - (reserved - settled - released),
    payg_held: paygHeldByBalances - paygHeld,
    payg_balance: paygBalance - (granted - paygSettled),
  }
  return [
    { name: 'wishwell_credits_held', value: heldByReservations, labels: {} },
    ...Object.entries(movements).map(([movement, value]): Observation => {
      return { name: 'wishwell_credits_total', value, labels: { movement } }
    }),
    ...Object.entries(drift).map(([balance, value]): Observation => {
      return { name: 'wishwell_ledger_drift_credits', value, labels: { balance } }
    }),
  ]
}

/** Credits by the ledger: equal in all processes, and unaffected by restarts. Sums each entry once. */
export function creditCollector(database: Database): Collector {
  let progress: Progress = { id: 0, sums: none, pending: null }
  return {
    name: 'credits',
    maxAgeMs: 15_000,
    read: async () => {
      progress = await extend(database, progress)
      const newest = await readNewest(database, progress.id)
      return observe(add(progress.sums, newest), newest)
    },
  }
}
