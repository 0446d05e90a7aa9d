import type { Tier } from '../database/tables.ts'

/** The plans with their monthly credits and their requests a minute: the one place that knows these figures (spec 8.1). */
export const plans: Record<Tier, { creditsPerMonth: number; requestsPerMinute: number }> = {
  free: { creditsPerMonth: 100, requestsPerMinute: 20 },
  pro: { creditsPerMonth: 5_000, requestsPerMinute: 120 },
  max: { creditsPerMonth: 15_000, requestsPerMinute: 240 },
}

export const tiers = Object.keys(plans) as Tier[]
