import { Ajv, type ErrorObject } from 'ajv'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { PackName, Tier } from '../database/column-types.ts'
import { closed, optional } from '../http/schemas.ts'
import { parsedJson } from '../runtime/foreign/json.ts'
import { defaultPricing, endless, type Pricing, packNames, tiers } from './plans.ts'

const some = <P extends TProperties>(properties: P) => closed(optional(properties))

const each = <Name extends string, Value extends TSchema>(names: readonly Name[], value: Value) =>
  some(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>)

// Keeps every ledger sum within its integers.
const plan = some({
  creditsPerMonth: Type.Integer({ minimum: 1, maximum: endless - 1 }),
  requestsPerMinute: Type.Integer({ minimum: 1, maximum: 100_000 }),
})
const price = Type.Integer({ minimum: 1, maximum: 1_000 })
const pack = some({
  credits: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
  priceUsd: Type.Number({ minimum: 0, maximum: 1_000_000 }),
})

const changes = some({
  plans: each<Tier, typeof plan>(tiers, plan),
  prices: some({ expand: price, realtime: price }),
  packs: each<PackName, typeof pack>(packNames, pack),
})

const validate = new Ajv({ allErrors: true, verbose: true }).compile<Static<typeof changes>>(changes)

/** A value's fault, by its path, without the value. */
function faultOf({ instancePath, keyword, message, parentSchema }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.')
  if (keyword !== 'additionalProperties') return `${path || 'it'} ${message}`
  const known = Object.keys(parentSchema?.properties).join(', ')
  return `${path || 'it'} has a name that is none of ${known}`
}

const merge = <Name extends string, Value extends object>(
  defaults: Record<Name, Value>,
  given: Partial<Record<Name, Partial<Value>>> = {},
) =>
  Object.fromEntries(
    Object.entries<Value>(defaults).map(([name, value]) => [name, { ...value, ...given[name as Name] }]),
  ) as Record<Name, Value>

/** Pricing from JSON; omitted values keep their defaults. @param complain called with all faults */
export function parsePricing(text: string, complain: (what: string) => never): Pricing {
  const given = parsedJson(text)
  if (given === undefined) return complain('must be JSON, such as {"plans":{"free":{"creditsPerMonth":500}}}.')
  if (!validate(given)) return complain(`${(validate.errors ?? []).map(faultOf).join('; ')}.`)
  return {
    plans: merge(defaultPricing.plans, given.plans),
    prices: { ...defaultPricing.prices, ...given.prices },
    packs: merge(defaultPricing.packs, given.packs),
  }
}
