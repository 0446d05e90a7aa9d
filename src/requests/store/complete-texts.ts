import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { type FoundPage, prepareRequest } from './prepared-page.ts'

/**
 * The page, where excerpts of requests whose whole text is stored have this text again: a search that gives only excerpts must not
 * shorten what another page completed. Votes, status and title are still those of the page.
 */
export async function keepCompleteTexts(transaction: Transaction, page: FoundPage): Promise<FoundPage> {
  const excerpts = page.requests.flatMap(({ request }) => (request.excerpt ? [request.sourceId] : []))
  if (excerpts.length === 0) return page
  const { rows } = await sql<{ source_id: string; description: string }>`
    select source_id, description from requests
    where platform = ${page.platform} and source_id = any(${excerpts}::text[]) and not excerpt and description <> ''`.execute(
    transaction,
  )
  const completeOf = new Map(rows.map(({ source_id, description }) => [source_id, description]))
  const requests = page.requests.map((prepared) => {
    const { request, relevance } = prepared
    const description = request.excerpt ? completeOf.get(request.sourceId) : undefined
    if (description === undefined) return prepared
    return prepareRequest(page.platform, { ...request, description, excerpt: false }, relevance)
  })
  return { ...page, requests }
}
