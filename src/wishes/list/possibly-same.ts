import type { Executor } from '../../database/open.ts'
import type { View } from '../../requests/views/view.ts'

export interface PossiblySameInput {
  /** The wish of the request in the view; the request itself, where it has none. */
  wishId: string
  /** The request that others are compared with. */
  requestId: string
  view: View
}

/** Requests of other wishes that may ask for the same, most similar first. They do not count in its wish. */
export type PossiblySame = (
  executor: Executor,
  input: PossiblySameInput,
) => Promise<{ requestId: string; similarity: number }[]>
