import type { Tier } from '../database/tables.ts'

/** The plans and their monthly credits: the one place that knows these figures (spec 8.1). */
export const plans: Record<Tier, { creditsPerMonth: number }> = {
  free: { creditsPerMonth: 100 },
  pro: { creditsPerMonth: 5_000 },
  max: { creditsPerMonth: 15_000 },
}

export const tiers = Object.keys(plans) as Tier[]
