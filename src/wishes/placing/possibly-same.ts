import { readWishIds } from '../../requests/wishes/numbers.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { PossiblySame, PossiblySameInput } from '../list/possibly-same.ts'
import { type CandidatesInput, readComparedTexts } from '../pairs/candidates.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { possiblySameThreshold } from '../pairs/scorer.ts'
import { bySimilarity, findTargets } from './targets.ts'

/** How many wishes are shown as possibly the same. */
const maxShown = 5

/** Another wish that may ask for the same; it counts by itself. */
export interface OtherWish {
  wishId: string
  /** The member of it that was compared. */
  requestId: string
  /** 0 to 1 */
  similarity: number
}

/** The wishes of a view, other than this one, that are most likely to ask for the same; the most similar first, five at most. */
export async function possiblySame(
  input: CandidatesInput,
  { wishId, requestId, view }: PossiblySameInput,
): Promise<OtherWish[]> {
  const text = (await readComparedTexts(input.executor, [requestId])).get(requestId)
  if (text === undefined) return []
  const targets = await findTargets(input, { id: requestId, text, threshold: possiblySameThreshold, view })
  // Nothing is joined here, so it makes no difference which of them are placed.
  targets.sort(bySimilarity)
  const wishIds = await readWishIds(
    input.executor,
    targets.map(({ coreId }) => coreId),
    view,
  )
  const found = new Map<string, OtherWish>()
  for (const { coreId, similarity } of targets) {
    const other = wishIds.get(coreId)
    if (other === undefined || other === wishId || found.has(other)) continue
    found.set(other, { wishId: other, requestId: coreId, similarity })
    if (found.size === maxShown) break
  }
  return [...found.values()]
}

/** What is possibly the same as a request, among the requests of a search index. */
export function createPossiblySame(searchIndex: SearchIndex): PossiblySame {
  const words = createWordCounter()
  return (executor, input) => possiblySame({ executor, searchIndex, words }, input)
}
