import type { PackName, Tier } from '../database/column-types.ts'

export interface Plan {
  creditsPerMonth: number
  requestsPerMinute: number
}

export interface Pack {
  credits: number
  priceUsd: number
}

/** What an operator offers. */
export interface Pricing {
  plans: Record<Tier, Plan>
  /** In credits: a page of a scrape job, which is what a credit stands for; a search with `expand`; a list with `source=realtime`. */
  prices: Record<'page' | 'expand' | 'realtime', number>
  /** Pay-as-you-go credits; they never expire. */
  packs: Record<PackName, Pack>
}

/** Where the operator sets nothing else (`PRICING`). These figures are defined only here. */
export const defaultPricing: Pricing = {
  plans: {
    free: { creditsPerMonth: 100, requestsPerMinute: 20 },
    pro: { creditsPerMonth: 5_000, requestsPerMinute: 120 },
    max: { creditsPerMonth: 15_000, requestsPerMinute: 240 },
  },
  prices: { page: 1, expand: 1, realtime: 1 },
  packs: {
    starter: { credits: 1_300, priceUsd: 5 },
    standard: { credits: 5_300, priceUsd: 20 },
    bulk: { credits: 13_500, priceUsd: 50 },
  },
}

/** The pool of a service that does not meter: more than a plan can have, and within the integers of the ledger. */
export const endless = 1_000_000_000

/**
 * The pricing of a service that does not meter (`METERING=off`): everything costs nothing, and no pool is ever too small. Nothing else knows of it.
 * The limits of calls stay.
 */
export const unmetered = ({ plans: { free, pro, max }, packs }: Pricing): Pricing => ({
  plans: {
    free: { ...free, creditsPerMonth: endless },
    pro: { ...pro, creditsPerMonth: endless },
    max: { ...max, creditsPerMonth: endless },
  },
  prices: { page: 0, expand: 0, realtime: 0 },
  packs,
})

export const tiers = Object.keys(defaultPricing.plans) as Tier[]

export const packNames = Object.keys(defaultPricing.packs) as PackName[]

/** The price of a pack as texts name it: `$5`, `$4.50`. */
export const usdText = (usd: number): string => `$${Number.isInteger(usd) ? usd : usd.toFixed(2)}`

/** A price as texts name it: `1 credit`. */
export const priceText = (price: number): string => `${price} ${price === 1 ? 'credit' : 'credits'}`
