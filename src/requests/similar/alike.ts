import { tellingWords } from '../../text/words.ts'
import { readRequests } from '../record.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { PossiblySame } from '../wishes/possibly-same.ts'
import { createComparison, sameWish } from './similarity.ts'
import { readComparedWords } from './words.ts'

/** How many of the best matches of its title a request is compared with, and how many of them are given. */
const candidates = 100
const shown = 5

/** The best matches of a request's title whose words are similar enough, the most similar first. */
export function createAlike(searchIndex: SearchIndex): PossiblySame {
  return async (executor, { wishId, requestId, view }) => {
    const [request] = await readRequests(executor, [requestId], { fullText: true, view: { ...view, least: 0 } })
    // Its words alone: in a title, quotation marks and minus signs are no query syntax.
    const query = tellingWords(request?.title ?? '').join(' ')
    if (request === undefined || query === '') return []
    const { results } = await searchIndex.search(executor, { query, filters: { view }, offset: 0, limit: candidates })
    const found = results.filter(({ _id, wish }) => _id !== requestId && wish?.wishId !== wishId)
    const compare = createComparison(await readComparedWords(executor, [request, ...found]))
    return found
      .map(({ _id }, index) => ({ requestId: _id, similarity: compare(0, index + 1) }))
      .filter(({ similarity }) => similarity >= sameWish)
      .sort((a, b) => b.similarity - a.similarity || (a.requestId < b.requestId ? -1 : 1))
      .slice(0, shown)
  }
}
