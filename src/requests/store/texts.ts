import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { ChangedText } from '../search/vocabulary.ts'
import type { FoundPage } from './prepared-page.ts'

/**
 * Writes the searched texts of the page that are new or have changed, and no others.
 * @returns those of listed requests, with what they were.
 */
export async function upsertTexts(
  transaction: Transaction,
  { requests }: FoundPage,
  idOf: ReadonlyMap<string, string>,
): Promise<ChangedText[]> {
  const textOf = new Map<string, string>()
  for (const { request, text } of requests) {
    const id = idOf.get(request.sourceId)
    if (id !== undefined) textOf.set(id, text)
  }
  const texts = JSON.stringify([...textOf].map(([request_id, text]) => ({ request_id, text })))
  // A text is written only under the lock of its request, so the one that this statement sees is the one that it replaces.
  const { rows } = await sql<{ id: string; before: string | null }>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${texts}::jsonb) as incoming (request_id uuid, text text)
    ), changed as materialized (
      select request_id, incoming.text, known.text as before
      from incoming left join request_texts as known using (request_id)
      where known.text is distinct from incoming.text
    ), written as (
      insert into request_texts (request_id, text) select request_id, text from changed
      on conflict (request_id) do update set text = excluded.text
    )
    select request_id as id, before from changed join requests on requests.id = request_id where standing >= 0`.execute(
    transaction,
  )
  return rows.map(({ id, before }) => ({ before, after: textOf.get(id) ?? null }))
}
