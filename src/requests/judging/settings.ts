import { type Static, type TObject, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import type { ModelConfig } from '../../model/settings.ts'
import { itemsOf, unknownItems } from '../../platforms/definition.ts'
import { importPlatform, platformNames } from '../../platforms/registry.ts'
import type { Complain } from '../../runtime/config-error.ts'

/** The environment variables of judging, part of the schema in `config.ts`, which alone reads them. */
export const judgingVariables = {
  AI_JUDGED_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'how many texts that may be feature requests are sent to the model in a UTC day, which judges them in the background; 0 sends none; needs `AI_BASE_URL`',
  }),
  AI_PAIRS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'how many pairs of wishes that may be the same are sent to the model in a UTC day; what it takes for the same is joined only where the texts are alike enough; 0 sends none; needs `AI_BASE_URL`',
  }),
  AI_JUDGED_EXCLUDED_PLATFORMS: Type.Optional(
    Type.String({
      description: 'comma list: the platforms whose texts are never sent to the model, beside those that were imported',
    }),
  ),
}

export type JudgingEnvironment = Static<TObject<typeof judgingVariables>>

export interface JudgingConfig {
  model: ModelConfig
  /** Texts that all processes together may send to the model per UTC day. */
  perDay: number
  pairsPerDay: number
  excludedPlatforms: readonly PlatformName[]
}

/** Validates the judging variables; null if judging is off. @param complain called with the first error */
export function readJudgingConfig(
  environment: JudgingEnvironment,
  complain: Complain<JudgingEnvironment>,
  model: ModelConfig | null,
): JudgingConfig | null {
  const { AI_JUDGED_PER_DAY: perDay, AI_PAIRS_PER_DAY: pairsPerDay, AI_JUDGED_EXCLUDED_PLATFORMS: list } = environment
  const named = itemsOf(list)
  const unknown = unknownItems(named, platformNames)
  if (unknown !== null) complain('AI_JUDGED_EXCLUDED_PLATFORMS', unknown)
  if (perDay === 0 && pairsPerDay === 0) return null
  if (model === null) return complain(perDay > 0 ? 'AI_JUDGED_PER_DAY' : 'AI_PAIRS_PER_DAY', 'needs AI_BASE_URL.')
  return { model, perDay, pairsPerDay, excludedPlatforms: notSentToModels(environment) }
}

/** Platforms whose texts are never sent to a model: the operator's choice, and private imports. */
export const notSentToModels = (
  environment: Pick<JudgingEnvironment, 'AI_JUDGED_EXCLUDED_PLATFORMS'>,
): PlatformName[] => [...itemsOf(environment.AI_JUDGED_EXCLUDED_PLATFORMS), importPlatform]
