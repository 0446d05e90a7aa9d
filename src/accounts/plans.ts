import type { PackName, Tier } from '../database/column-types.ts'

export interface Plan {
  creditsPerMonth: number
  requestsPerMinute: number
}

/** The plans. These figures are defined only here (spec 8.1). */
export const plans: Record<Tier, Plan> = {
  free: { creditsPerMonth: 100, requestsPerMinute: 20 },
  pro: { creditsPerMonth: 5_000, requestsPerMinute: 120 },
  max: { creditsPerMonth: 15_000, requestsPerMinute: 240 },
}

export const tiers = Object.keys(plans) as Tier[]

export interface Pack {
  credits: number
  priceUsd: number
}

/** The packs of pay-as-you-go credits; they never expire (spec 8.3). */
export const packs: Record<PackName, Pack> = {
  starter: { credits: 1_300, priceUsd: 5 },
  standard: { credits: 5_300, priceUsd: 20 },
  bulk: { credits: 13_500, priceUsd: 50 },
}

export const packNames = Object.keys(packs) as PackName[]
