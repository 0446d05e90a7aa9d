import type { ModelConfig } from '../../model/settings.ts'

export interface ExpansionConfig {
  /** Null: topics come only from the cache. */
  model: ModelConfig | null
}

/** Expansion gets half of a live call's time, the model less, to leave time for cached phrases. */
const shareOfDeadline = 0.4

/** @param deadlineMs maximum duration of a live call */
export const expansionConfig = (model: ModelConfig | null, deadlineMs: number): ExpansionConfig => ({
  model: model && { ...model, timeoutMs: Math.min(model.timeoutMs, deadlineMs * shareOfDeadline) },
})
