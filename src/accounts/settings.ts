import { type Static, type TObject, Type } from 'typebox'
import { guardLimits, type RequestLimits } from '../http/rate-limits/rate-limits.ts'
import type { Complain } from '../runtime/config-error.ts'
import { apiKeyPattern } from './api-key.ts'
import { defaultPricing, type Pricing, unmetered } from './plans.ts'
import { parsePricing } from './pricing.ts'

const secret = (meaning: string) =>
  Type.Optional(Type.String({ minLength: 1, description: meaning, 'x-kind': 'secret' }))

/** Variables of the first account and operator: part of the schema in `config.ts`, which alone reads them. */
export const accountVariables = {
  BOOTSTRAP_API_KEY: secret(
    "the first account's API key (`ww_live_` and 32 of a-z, 0-9); without it one is created and printed once",
  ),
  BOOTSTRAP_TIER: Type.Union([Type.Literal('free'), Type.Literal('pro'), Type.Literal('max')], {
    default: 'max',
    description: "the first account's plan: `free`, `pro` or `max`",
  }),
  METERING: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      '`off` for a service of your own: no call costs credits, and none is refused for want of them ([credits.md](credits.md#without-metering)); the same in all processes',
  }),
  PRICING: Type.Optional(
    Type.String({
      description:
        'what differs from the [default](credits.md#pricing) of plans, prices and packs, as JSON: `{"plans":{"free":{"creditsPerMonth":500}},"prices":{"expand":2}}`; the same in all processes',
    }),
  ),
  ADMIN_API_KEY: secret(
    'opens the admin routes; when absent, it is created in `DATA_DIR/admin-key` (0600); required with `DATABASE_URL`',
  ),
}

type AccountEnvironment = Static<TObject<typeof accountVariables>>

export type AccountConfig = ReturnType<typeof readAccountConfig>

/** Reads account variables. @param complain called with the first invalid one */
export function readAccountConfig(environment: AccountEnvironment, complain: Complain<AccountEnvironment>) {
  const { BOOTSTRAP_API_KEY, BOOTSTRAP_TIER, ADMIN_API_KEY, METERING, PRICING } = environment
  if (BOOTSTRAP_API_KEY !== undefined && !apiKeyPattern.test(BOOTSTRAP_API_KEY)) {
    complain('BOOTSTRAP_API_KEY', 'must be ww_live_ followed by 32 characters of a-z and 0-9.')
  }
  // An Authorization header allows no other characters.
  if (ADMIN_API_KEY !== undefined && !/^[\x21-\x7e]{16,}$/.test(ADMIN_API_KEY)) {
    complain('ADMIN_API_KEY', 'must have 16 characters or more, ASCII and no spaces.')
  }
  const offered = PRICING === undefined ? defaultPricing : parsePricing(PRICING, (what) => complain('PRICING', what))
  const pricing = METERING === 'off' ? unmetered(offered) : offered
  return { bootstrapApiKey: BOOTSTRAP_API_KEY, bootstrapTier: BOOTSTRAP_TIER, adminApiKey: ADMIN_API_KEY, pricing }
}

/** The service's request limits: those of plans, and those for all. */
export const requestLimitsOf = ({ plans }: Pick<Pricing, 'plans'>): RequestLimits => ({
  ...guardLimits,
  ofTier: (tier) => plans[tier].requestsPerMinute,
})
