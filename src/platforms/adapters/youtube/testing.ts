import { createBudget, type OpenBudget } from '../../budget/budget.ts'
import { createMemoryQuotas } from '../../budget/quota.ts'
import type { Json } from '../../platform.ts'
import type { AdapterCache } from '../adapter-cache.ts'
import { type Handler, type Received, sendJson, startServer, testClient, testClock } from '../testing.ts'
import { createYoutube } from './search.ts'

// What the tests of this adapter share.

export function memoryAdapterCache(): AdapterCache & { stored: Map<string, { value: Json; expiresAt: Date }> } {
  const stored = new Map<string, { value: Json; expiresAt: Date }>()
  return {
    stored,
    async read(platform, key, now) {
      const found = stored.get(`${platform} ${key}`)
      return found && found.expiresAt > now ? found.value : null
    },
    async store(platform, key, value, expiresAt) {
      stored.set(`${platform} ${key}`, { value, expiresAt })
    },
  }
}

/** The adapter with a server, its cache and its quotas. */
export async function setUp(handler: Handler) {
  const server = await startServer(handler)
  const clock = testClock()
  const cache = memoryAdapterCache()
  const quotas = createMemoryQuotas()
  const openBudget: OpenBudget = (limits) => createBudget({ ...limits, platform: 'youtube', quotas })
  const make = (key: string | null = 'secret-key') =>
    createYoutube({
      client: testClient(clock),
      clock,
      openBudget,
      cache,
      baseUrl: `${server.baseUrl}/youtube/v3`,
      key: key ?? undefined,
    })
  return { ...server, clock, cache, make, youtube: make() }
}

export const found = (...ids: string[]) => ({
  items: ids.map((videoId) => ({ id: { kind: 'youtube#video', videoId }, snippet: { title: `About ${videoId}` } })),
})
export const thread = (id: string, textOriginal = 'I wish it had tabs.') => ({
  id,
  snippet: { topLevelComment: { id, snippet: { textOriginal } }, totalReplyCount: 0, isPublic: true },
})
export const comments = (items: unknown[], more: object = {}) => ({
  kind: 'youtube#commentThreadListResponse',
  items,
  ...more,
})

/** A server whose search finds these videos, and whose comments of a video are given by `answer`. */
export const answering =
  (ids: string[], answer: (query: Received['query']) => object): Handler =>
  (response, { path, query }) => {
    if (path.endsWith('/search')) return sendJson(response, found(...ids))
    const { status = 200, ...rest } = answer(query) as { status?: number }
    sendJson(response, rest, status)
  }

export const refusal = (
  status: number,
  reason: string,
  more: { domain?: string; message?: string; [name: string]: unknown } = {},
) => {
  const { domain = 'youtube.commentThread', message = 'No secret-key.', ...others } = more
  return { status, error: { code: status, message, errors: [{ message, domain, reason }], ...others } }
}
export const paths = (received: Received[]) => received.map(({ path }) => path.split('/').at(-1))
