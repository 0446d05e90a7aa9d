import type { ModelConfig } from '../../model/settings.ts'

export interface ExpansionConfig {
  /** Null: topics come from the cache alone. */
  model: ModelConfig | null
}

/** The expansion has half of the time of a live call; the model gets less, so that time is left for the phrases of the cache. */
const shareOfDeadline = 0.4

/** @param deadlineMs how long a live call may take, all in all. */
export const expansionConfig = (model: ModelConfig | null, deadlineMs: number): ExpansionConfig => ({
  model: model && { ...model, timeoutMs: Math.min(model.timeoutMs, deadlineMs * shareOfDeadline) },
})
