import type { PackName, Tier } from '../database/column-types.ts'

export interface Plan {
  creditsPerMonth: number
  requestsPerMinute: number
}

export interface Pack {
  credits: number
  priceUsd: number
}

export interface Pricing {
  plans: Record<Tier, Plan>
  /** Credits per scrape page (the unit), search with `expand`, and list with `source=realtime`. */
  prices: Record<'page' | 'expand' | 'realtime', number>
  /** Pay-as-you-go credits, which never expire. */
  packs: Record<PackName, Pack>
}

/** Default of `PRICING`, defined only here. */
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

/** An unmetered pool: above any plan's, within the ledger's integers. */
export const endless = 1_000_000_000

/** Pricing with `METERING=off`: everything is free and no pool too small. Call limits stay. */
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

/** A pack's price in texts: `$5`, `$4.50`. */
export const usdText = (usd: number): string => `$${Number.isInteger(usd) ? usd : usd.toFixed(2)}`

/** A price in texts: `1 credit`. */
export const priceText = (price: number): string => `${price} ${price === 1 ? 'credit' : 'credits'}`
