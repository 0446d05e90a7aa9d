import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { tellingWords } from '../../text/words.ts'
import type { RequestRecord, TextChoice } from '../record.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { View } from '../views/view.ts'
import { createComparison, sameWish } from './similarity.ts'
import { readComparedWords } from './words.ts'

/** How many of the best matches of its title a request is compared with. */
const candidates = 100

export interface SimilarRequest extends RequestRecord {
  /** 0 to 1 */
  similarity: number
}

/** Similar requests as a group. */
export interface Wish {
  votes: number
  requests: number
  platforms: PlatformName[]
}

/** The sums of a group of requests. */
export const together = (requests: readonly RequestRecord[]): Wish => ({
  votes: requests.reduce((sum, { votes }) => sum + votes, 0),
  requests: requests.length,
  platforms: [...new Set(requests.map(({ sourcePlatform }) => sourcePlatform as PlatformName))].sort(),
})

/**
 * The requests of a view that are similar to a request, the most similar first: among the best matches of its title, those with
 * similar enough words.
 */
export async function findSimilar(
  executor: Executor,
  searchIndex: SearchIndex,
  request: RequestRecord,
  { fullText, view }: TextChoice & { view: View },
): Promise<SimilarRequest[]> {
  // Its words alone: in a title, quotation marks and minus signs are no query syntax.
  const query = tellingWords(request.title).join(' ')
  if (query === '') return []
  const { results } = await searchIndex.search(executor, {
    query,
    filters: { view },
    offset: 0,
    limit: candidates,
    fullText,
  })
  const found = results.filter(({ _id }) => _id !== request._id)
  const compare = createComparison(await readComparedWords(executor, [request, ...found]))
  return found
    .map((other, index) => ({ ...other, similarity: compare(0, index + 1) }))
    .filter(({ similarity }) => similarity >= sameWish)
    .sort((a, b) => b.similarity - a.similarity || (a._id < b._id ? -1 : 1))
}
