import MiniSearch from 'minisearch'
import type { BenchDocument, BenchEngine } from './engine.ts'

/** MiniSearch in memory, a title counting three times. It does not stem. */
export function createMiniSearch(): BenchEngine {
  const index = new MiniSearch<BenchDocument>({
    fields: ['title', 'description'],
    searchOptions: { boost: { title: 3 } },
  })
  const before = process.memoryUsage()
  return {
    name: 'MiniSearch',
    load: async (documents) => index.addAll(documents),
    finish: async () => {},
    search: async (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => String(id)),
    indexBytes: async () => process.memoryUsage().heapUsed - before.heapUsed,
    close: async () => index.removeAll(),
  }
}
