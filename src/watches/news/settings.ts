import { type Static, type TObject, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import type { ModelConfig } from '../../model/settings.ts'

/** The environment variables of news, part of the schema in `config.ts`, which alone reads them. */
export const newsVariables = {
  AI_NEWS_JUDGED_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'how many new wishes of watches with a goal are compared with it by the model in a UTC day; those beyond are delivered uncompared; 0 compares none',
  }),
}

export interface NewsJudgingConfig {
  model: ModelConfig
  /** Texts that all processes together may send to the model per UTC day; at least 1. */
  perDay: number
  /** Platforms whose texts are never sent. */
  excludedPlatforms: readonly PlatformName[]
}

/** The validated variables of news; null if nothing is compared with goals. */
export function readNewsConfig(
  { AI_NEWS_JUDGED_PER_DAY: perDay }: Static<TObject<typeof newsVariables>>,
  model: ModelConfig | null,
  excludedPlatforms: readonly PlatformName[],
): NewsJudgingConfig | null {
  return model === null || perDay === 0 ? null : { model, perDay, excludedPlatforms }
}
