import type { View } from '../../requests/views/view.ts'
import { readWishIds } from '../../requests/wishes/numbers.ts'
import { type CandidatesInput, readComparedTexts } from '../pairs/candidates.ts'
import { possiblySameThreshold } from '../pairs/scorer.ts'
import { findTargets } from './targets.ts'

/** How many wishes are shown as possibly the same. */
const maxShown = 5

/** Another wish that may ask for the same; it counts by itself. */
export interface PossiblySame {
  wishId: string
  /** The member of it that was compared. */
  requestId: string
  /** 0 to 1 */
  similarity: number
}

export interface PossiblySameInput {
  /** The wish in the view … */
  wishId: string
  /** … and the member that the others are compared with: its top request, or the request that a caller named. */
  requestId: string
  view: View
}

/** The wishes of a view, other than this one, that are most likely to ask for the same; the most similar first, five at most. */
export async function possiblySame(
  input: CandidatesInput,
  { wishId, requestId, view }: PossiblySameInput,
): Promise<PossiblySame[]> {
  const text = (await readComparedTexts(input.executor, [requestId])).get(requestId)
  if (text === undefined) return []
  const targets = await findTargets(input, { id: requestId, text, threshold: possiblySameThreshold })
  const wishIds = await readWishIds(
    input.executor,
    targets.map(({ coreId }) => coreId),
    view,
  )
  const found = new Map<string, PossiblySame>()
  for (const { coreId, similarity } of targets) {
    const other = wishIds.get(coreId)
    if (other === undefined || other === wishId || found.has(other)) continue
    found.set(other, { wishId: other, requestId: coreId, similarity })
    if (found.size === maxShown) break
  }
  return [...found.values()]
}
