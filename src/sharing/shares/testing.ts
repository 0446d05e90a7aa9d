import { expect } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import type { TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'

/** Stores requests of the topic "dark mode". */
export async function storeRequests(
  { database }: TestService,
  requests: FoundRequest[],
  { platform = 'github', now = new Date() }: { platform?: PlatformName; now?: Date } = {},
): Promise<void> {
  const prepared = await preparePage(platform, { requests, incomplete: [], offTopic: [] }, null)
  const page = { ...prepared, platform, topic: 'dark mode', jobId: null, markSeenBefore: null, now }
  await storePageAlone(database, page)
}

/** The id of a stored request, which is that of its wish while nothing is like it. */
export const idOf = async ({ database }: TestService, sourceId: string): Promise<string> =>
  (await database.selectFrom('requests').select('id').where('source_id', '=', sourceId).executeTakeFirstOrThrow()).id

export interface MadeShare {
  shareId: string
  url: string
}

export async function makeShare(client: TestClient, body: object): Promise<MadeShare> {
  const answer = await client.post('/api/v1/shares', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data as MadeShare
}

/** Opens the address of a share as a browser does, without a key. */
export async function openShare({ url: serviceUrl }: TestService, url: string, language?: string) {
  const headers = language === undefined ? {} : { 'accept-language': language }
  const response = await fetch(new URL(new URL(url).pathname, serviceUrl), { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const putMark = (client: TestClient, wishId: string, changes: object) =>
  client.send('PUT', `/api/v1/wishes/${wishId}/mark`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  })
