import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { lockAccount } from '../../accounts/made-by-key.ts'
import { type PlatformName, type Standing, standings } from '../../database/column-types.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import { notFound } from '../../http/errors.ts'
import type { Corrector } from '../corrections/corrections.ts'
import { platformGroups, projectDetector } from '../detection/weights-file.ts'
import { readRequests } from '../record.ts'
import { correctionHash, judgedTextHash } from '../store/standings.ts'
import { standingIn } from '../view.ts'
import { type Strictness, thresholdsBy } from '../views/strictness.ts'
import { readStrictness } from './labels.ts'
import { type Population, type Seats, shareSeats, weeklyTexts, weekOf } from './seats.ts'

export interface DrawOwner extends Corrector {
  now: Date
}

/** For a query: one owner's rows. No index serves `is not distinct from`. */
const ownedBy = (accountId: string | null, table: 'made' | 'label_draws' | 'request_corrections') =>
  accountId === null
    ? sql`${sql.ref(`${table}.account_id`)} is null`
    : sql`${sql.ref(`${table}.account_id`)} = ${accountId}::uuid`

/** The owner's current thresholds as a key. */
const inOneWord = (strictness: Strictness): string =>
  platformGroups
    .map((group) => thresholdsBy(strictness)[group] ?? projectDetector()[group].thresholds)
    .map(({ likely, maybe }) => `${likely}/${maybe}`)
    .join(' ')

const seenStanding = (accountId: string | null) =>
  standingIn(
    { account: accountId, least: standings.unlikely },
    { id: sql`facets.request_id`, standing: sql`facets.standing` },
  )

/** Counts the uncorrected texts per class in the owner's view: the shared counts plus the owner's differences. */
async function countPopulation(transaction: Transaction, accountId: string | null): Promise<Population> {
  const differences =
    accountId === null
      ? sql``
      : sql`union all
        select unnest(array[facets.standing, own.standing]), unnest(array[-1, 1])
        from account_requests as own join request_facets as facets using (request_id) where own.account_id = ${accountId}`
  const { rows } = await sql<{ standing: 0 | 1 | 2; texts: number }>`
    select standing, sum(texts)::integer as texts from (
      select standing, count(*) as texts from request_facets group by standing ${differences}
      union all
      select case when is_request then 2 else 0 end, -1
      from request_corrections join request_facets as facets using (request_id)
      where ${ownedBy(accountId, 'request_corrections')} and ${seenStanding(accountId)} >= 0
    ) as counted where standing >= 0 group by standing`.execute(transaction)
  const population: Population = { 0: 0, 1: 0, 2: 0 }
  for (const { standing, texts } of rows) population[standing] = Math.max(0, texts)
  return population
}

/**
 * Picks texts of one class that the owner has neither corrected nor been asked about. Ids are random, so any run of ids
 * is a random sample. Its start is fixed for the week, so that concurrent draws pick the same texts.
 */
async function pick(
  transaction: Transaction,
  { accountId, week, standing, texts }: Corrector & { week: string; standing: Standing; texts: number },
): Promise<string[]> {
  const first = hash('md5', `${accountId ?? ''} ${week} ${standing}`)
  // Equivalent to `seenStanding`, without one index probe per row scanned.
  const own = (condition: RawBuilder<unknown>) => sql`
    (select own.request_id from account_requests as own where own.account_id = ${accountId}::uuid and ${condition})`
  const isSeen = sql`(facets.standing = ${sql.lit(standing)} or request_id in ${own(sql`own.standing = ${sql.lit(standing)}`)})
      and request_id not in ${own(sql`own.standing <> ${sql.lit(standing)}`)}`
  const from = (part: '>=' | '<') => sql`(
    select request_id from request_facets as facets
    where request_id ${sql.raw(part)} ${first}::uuid and ${isSeen}
      and request_id not in (select request_id from request_corrections where ${ownedBy(accountId, 'request_corrections')} and request_id is not null)
      and request_id not in (select request_id from label_draws where ${ownedBy(accountId, 'label_draws')})
    order by request_id limit ${texts})`
  const { rows } = await sql<{ id: string }>`
    select request_id as id from (${from('>=')} union all ${from('<')}) as found limit ${texts}`.execute(transaction)
  return rows.map(({ id }) => id)
}

interface Picked {
  id: string
  platform: PlatformName
  source_id: string
  title: string
  description: string
  confidence: number
  judgement: { text_hash: string; confidence: number } | null
  operators: boolean | null
}

/** The confidence behind the shared class (`views/standings.ts`); 1 or 0 if the operator corrected it. */
function confidenceOf({ title, description, confidence, judgement, operators }: Picked): number {
  if (operators !== null) return Number(operators)
  return judgement !== null && judgement.text_hash === judgedTextHash({ title, description })
    ? judgement.confidence
    : confidence
}

async function readPicked(transaction: Transaction, ids: readonly string[]) {
  const { rows } = await sql<Omit<Picked, 'operators'>>`
    select id, platform, source_id, title, description, requests.confidence,
      case when judgement.request_id is null then null
        else json_build_object('text_hash', text_hash, 'confidence', judgement.confidence) end as judgement
    from requests left join request_judgements as judgement on judgement.request_id = id
    where id = any(${ids}::uuid[])`.execute(transaction)
  const hashed = rows.map((row) => ({ ...row, hash: correctionHash(row.platform, row.source_id) }))
  const { rows: corrected } = await sql<{ hash: string; is_request: boolean }>`
    select source_hash as hash, is_request from request_corrections
    where account_id is null and source_hash = any(${hashed.map((row) => row.hash)}::text[])`.execute(transaction)
  const operators = new Map(corrected.map((row) => [row.hash, row.is_request]))
  return hashed.map((row) => ({
    ...row,
    confidence: confidenceOf({ ...row, operators: operators.get(row.hash) ?? null }),
  }))
}

async function drawMore(transaction: Transaction, { accountId }: Corrector, week: string, taken: Seats): Promise<void> {
  if (taken[0] + taken[1] + taken[2] >= weeklyTexts) return
  const population = await countPopulation(transaction, accountId)
  const seats = shareSeats(population, taken)
  const fresh = []
  for (const standing of [2, 1, 0] as const) {
    if (seats[standing] === 0) continue
    const ids = await pick(transaction, { accountId, week, standing, texts: seats[standing] })
    for (const { id, platform, hash: source_hash, confidence } of await readPicked(transaction, ids))
      fresh.push({ platform, source_hash, request_id: id, standing, confidence, population: population[standing] })
  }
  if (fresh.length === 0) return
  const thresholds = inOneWord(await readStrictness(transaction, accountId))
  await sql`
    insert into label_draws (account_id, platform, source_hash, request_id, week, standing, confidence, population, thresholds)
    select ${accountId}::uuid, platform, source_hash, request_id, ${week}::date, standing, confidence, population, ${thresholds}
    from jsonb_to_recordset(${JSON.stringify(fresh)}::jsonb) as fresh (
      platform text, source_hash text, request_id uuid, standing smallint, confidence real, population integer)
    order by source_hash on conflict do nothing`.execute(transaction)
}

/** Fills this week's draw up to 20 texts, dropping unanswered earlier draws. @throws ServiceError NOT_FOUND */
export async function drawTexts(transaction: Transaction, { accountId, now }: DrawOwner): Promise<void> {
  if (accountId !== null) {
    // Blocks the account's deletion and concurrent draws.
    if (!(await lockAccount(transaction, accountId))) throw notFound('Account')
  }
  const week = weekOf(now)
  await sql`
    delete from label_draws where ${ownedBy(accountId, 'label_draws')} and week < ${week}::date
      and not exists (select from request_corrections as made where made.source_hash = label_draws.source_hash
        and ${ownedBy(accountId, 'made')})`.execute(transaction)
  const { rows } = await sql<{ standing: 0 | 1 | 2; texts: number }>`
    select standing, count(*)::integer as texts from label_draws
    where ${ownedBy(accountId, 'label_draws')} and week = ${week}::date group by standing`.execute(transaction)
  const taken: Seats = { 0: 0, 1: 0, 2: 0 }
  for (const { standing, texts } of rows) taken[standing] = texts
  await drawMore(transaction, { accountId }, week, taken)
}

/** Reads the unanswered texts of this week's draw, in an order that does not reveal their class. */
export async function readDraw(executor: Executor, { accountId, now }: DrawOwner) {
  const week = weekOf(now)
  const { rows } = await sql<{ id: string; is_open: boolean }>`
    select request_id as id, not exists (
      select from request_corrections as made where made.source_hash = label_draws.source_hash and ${ownedBy(accountId, 'made')}) as is_open
    from label_draws where ${ownedBy(accountId, 'label_draws')} and week = ${week}::date order by request_id`.execute(
    executor,
  )
  const open = rows.filter(({ is_open }) => is_open).map(({ id }) => id)
  const view = { account: accountId, least: standings.unlikely }
  return { week, drawn: rows.length, texts: await readRequests(executor, open, { fullText: false, view }) }
}
