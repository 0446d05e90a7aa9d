import type { Database } from '../../database/open.ts'
import { type ListInput, listRequests } from '../../search/list/list.ts'
import type { RealtimeList } from '../../search/live-collection.ts'
import type { Live } from './live.ts'
import type { Collected } from './live-call.ts'

export function createRealtimeList({ database, live }: { database: Database; live: Live }): RealtimeList {
  const read = async (list: ListInput, { newResultsFound, errors }: Collected) => {
    return { data: await listRequests(database, list), meta: { newResultsFound, errors } }
  }
  return async (request, reply, { list, platforms }) => {
    reply.header('cache-control', 'no-store')
    const { text, isReplay } = await live.answer(request, reply, {
      operation: 'realtime',
      topic: list.topic,
      platforms,
      topicsFor: async () => [list.topic],
      read: (collected) => read(list, collected),
    })
    if (isReplay) reply.header('idempotent-replayed', 'true')
    return reply.type('application/json; charset=utf-8').send(text)
  }
}
