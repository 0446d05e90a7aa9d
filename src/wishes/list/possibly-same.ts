import type { Executor } from '../../database/open.ts'
import type { View } from '../../requests/view.ts'

export interface PossiblySameInput {
  /** The request's wish in the view, else the request itself. */
  wishId: string
  requestId: string
  view: View
}

/** Requests of other wishes that may ask for the same, most similar first. They do not count in its wish. */
export type PossiblySame = (
  executor: Executor,
  input: PossiblySameInput,
) => Promise<{ requestId: string; similarity: number }[]>
