import { sql } from 'kysely'
import { standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { createTopicTest } from '../../platforms/about-topic.ts'
import type { ChangedText } from '../words/vocabulary.ts'
import { followTexts } from './copies.ts'
import { type FoundPage, prepareRequest } from './prepared-page.ts'
import type { StoredRequest } from './upsert.ts'

async function readWholeTexts(transaction: Transaction, platform: string, sourceIds: readonly string[]) {
  const rows = await transaction
    .selectFrom('requests')
    .select(['source_id', 'description'])
    .where('platform', '=', platform)
    .where('source_id', 'in', [...sourceIds])
    .where('excerpt', '=', false)
    .where('description', '<>', '')
    .execute()
  return new Map(rows.map(({ source_id, description }) => [source_id, description]))
}

/** Keeps excerpts from replacing whole texts; stored texts decide whether incomplete requests are on topic. */
export async function withStoredTexts(transaction: Transaction, page: FoundPage): Promise<FoundPage> {
  const { platform, requests } = page
  const excerpts = requests.filter(({ request }) => request.excerpt).map(({ request }) => request.sourceId)
  if (excerpts.length === 0) return page
  const wholeTexts = await readWholeTexts(transaction, platform, excerpts)
  const isAbout = createTopicTest(page.topic)
  const completed = requests.map((prepared) => {
    const { request, relevance } = prepared
    const description = request.excerpt ? wholeTexts.get(request.sourceId) : undefined
    if (description === undefined) return prepared
    const whole = { ...request, description, excerpt: false }
    return prepareRequest(platform, whole, relevance === 'incomplete' && isAbout(whole) ? 'onTopic' : relevance)
  })
  return { ...page, requests: completed }
}

/** What changed in the searched texts of listed requests. */
export interface WrittenTexts {
  /** Ids of new texts, which the vocabulary counts in the background. */
  created: string[]
  /** Changed texts that the vocabulary already counts, with their old text. Uncounted ones are counted later anyway. */
  changed: ChangedText[]
}

/** Writes new and changed searched texts, by request id. The locks of the requests must be held. */
export async function writeTexts(transaction: Transaction, textOf: ReadonlyMap<string, string>): Promise<WrittenTexts> {
  const texts = JSON.stringify([...textOf].map(([request_id, text]) => ({ request_id, text })))
  // The request locks make `before` exactly the replaced text. An upsert would parse a changed text twice.
  const { rows } = await sql<{ id: string; before: string | null; is_listed: boolean; is_counted: boolean }>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid, text text)
    ), changed as materialized (
      select request_id, incoming.text, known.text as before
      from incoming left join request_texts as known using (request_id)
      where known.text is distinct from incoming.text
    ), added as (
      insert into request_texts (request_id, text) select request_id, text from changed where before is null
    ), written as (
      update request_texts as known set text = changed.text from changed
      where known.request_id = changed.request_id and before is not null
    )
    select request_id as id, before, standing >= ${sql.lit(standings.unlikely)} as is_listed,
      not exists (select from uncounted_texts where uncounted_texts.request_id = changed.request_id) as is_counted
    from changed join requests on requests.id = request_id`.execute(transaction)
  // Keep the page's order for placing in wishes.
  const order = new Map([...textOf.keys()].map((id, at) => [id, at]))
  rows.sort((one, other) => order.get(one.id)! - order.get(other.id)!)
  const [created, changed] = [
    rows.filter(({ before }) => before === null),
    rows.filter(({ before }) => before !== null),
  ]
  const idsOf = (written: typeof rows) => written.map(({ id }) => id)
  await followTexts(transaction, { created: idsOf(created), changed: idsOf(changed) })
  return {
    created: idsOf(created.filter(({ is_listed }) => is_listed)),
    changed: changed.flatMap(({ id, before, is_listed, is_counted }) =>
      before !== null && is_listed && is_counted ? [{ before, after: textOf.get(id) ?? null }] : [],
    ),
  }
}

/** Queues searched texts to be written in the background (`unwritten-texts.ts`). Their locks must be held. */
async function writeLater(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into unwritten_texts (request_id) select unnest(${[...ids]}::uuid[]) on conflict do nothing`.execute(
    transaction,
  )
}

/** Writes the searched texts of a page, or queues those that it lacks. @param stored its requests, by source id */
export async function upsertTexts(
  transaction: Transaction,
  { requests }: FoundPage,
  stored: ReadonlyMap<string, StoredRequest>,
): Promise<WrittenTexts> {
  const textOf = new Map<string, string>()
  const later: string[] = []
  for (const { request, text } of requests) {
    const row = stored.get(request.sourceId)
    if (row === undefined) continue
    if (text !== null) textOf.set(row.id, text)
    else if (row.created || row.rewritten) later.push(row.id)
  }
  await writeLater(transaction, later)
  return textOf.size === 0 ? { created: [], changed: [] } : writeTexts(transaction, textOf)
}
