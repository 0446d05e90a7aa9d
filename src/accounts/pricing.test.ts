import { expect, it } from 'vitest'
import { readConfig } from '../app/config.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { defaultPricing } from './plans.ts'

it('reads plans, prices and packs, where what is left out keeps its default', () => {
  const { pricing: unset } = readConfig({})
  expect(unset).toBe(defaultPricing)
  const PRICING = `{
    "plans": { "free": { "creditsPerMonth": 500 }, "pro": { "requestsPerMinute": 60 } },
    "prices": { "expand": 3 }, "packs": { "bulk": { "credits": 20000, "priceUsd": 59.5 } }
  }`
  const { pricing, requestLimits } = readConfig({ PRICING })
  const { plans, prices, packs } = defaultPricing
  expect(pricing).toEqual({
    plans: { ...plans, free: { ...plans.free, creditsPerMonth: 500 }, pro: { ...plans.pro, requestsPerMinute: 60 } },
    prices: { ...prices, expand: 3 },
    packs: { ...packs, bulk: { credits: 20_000, priceUsd: 59.5 } },
  })
  expect([requestLimits.ofTier('free'), requestLimits.ofTier('pro')]).toEqual([20, 60])
})

it.each([
  ['{"plans":', /^PRICING: must be JSON, such as /],
  ['[]', /^PRICING: it must be object\.$/],
  ['{"plan":{}}', /^PRICING: it has a name that is none of plans, prices, packs\.$/],
  ['{"plans":{"gold":{}}}', /^PRICING: plans has a name that is none of free, pro, max\.$/],
  [
    '{"plans":{"free":{"creditsPerMonth":0,"requestsPerMinute":"secret-value"}},"prices":{"expand":1.5}}',
    /^PRICING: plans\.free\.creditsPerMonth must be >= 1; plans\.free\.requestsPerMinute must be integer; prices\.expand must be integer\.$/,
  ],
  ['{"packs":{"bulk":{"credits":1e12}}}', /^PRICING: packs\.bulk\.credits must be <= 10000000\.$/],
])('refuses the pricing %j with all that is wrong, and shows no value', (PRICING, message) => {
  const read = () => readConfig({ PRICING })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(message)
  expect(read).not.toThrow(/secret-value/)
})
