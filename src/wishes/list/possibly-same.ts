import type { Executor } from '../../database/open.ts'
import type { View } from '../../requests/view.ts'

export interface PossiblySameInput {
  /** The wish of the request in the view; the request itself, where it has none. */
  wishId: string
  /** The request that others are compared with. */
  requestId: string
  view: View
}

/**
 * Requests of other wishes that may ask for the same as a request, the most similar first. No number of its wish counts them.
 */
export type PossiblySame = (
  executor: Executor,
  input: PossiblySameInput,
) => Promise<{ requestId: string; similarity: number }[]>
