import type { PackName, Tier } from '../database/column-types.ts'

export interface Plan {
  creditsPerMonth: number
  requestsPerMinute: number
}

/** The plans. These figures are defined only here. */
export const plans: Record<Tier, Plan> = {
  free: { creditsPerMonth: 100, requestsPerMinute: 20 },
  pro: { creditsPerMonth: 5_000, requestsPerMinute: 120 },
  max: { creditsPerMonth: 15_000, requestsPerMinute: 240 },
}

export const tiers = Object.keys(plans) as Tier[]

/** What a live call costs, in credits. These figures are defined only here; a page of a scrape job is what a credit stands for. */
export const prices = {
  /** A search with `expand`. */
  expand: 1,
  /** A list with `source=realtime`. */
  realtime: 1,
} as const satisfies Record<string, number>

/** A price as texts name it: `1 credit`. */
export const priceText = (price: number): string => `${price} ${price === 1 ? 'credit' : 'credits'}`

export interface Pack {
  credits: number
  priceUsd: number
}

/** The packs of pay-as-you-go credits; they never expire. */
export const packs: Record<PackName, Pack> = {
  starter: { credits: 1_300, priceUsd: 5 },
  standard: { credits: 5_300, priceUsd: 20 },
  bulk: { credits: 13_500, priceUsd: 50 },
}

export const packNames = Object.keys(packs) as PackName[]
