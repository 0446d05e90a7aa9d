import type { Executor } from '../../database/open.ts'
import type { View } from '../views/view.ts'

/**
 * Requests that may ask for the same as a request, the most similar first. None of them counts in a number of its wish; some may be of
 * one wish.
 */
export type PossiblySame = (
  executor: Executor,
  requestId: string,
  view: View,
) => Promise<{ requestId: string; similarity: number }[]>
