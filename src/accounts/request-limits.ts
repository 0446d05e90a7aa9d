import { guardLimits, type RequestLimits } from '../http/rate-limits/rate-limits.ts'
import { plans } from './plans.ts'

/** The request limits of the service: those of the plans, and those for every plan. */
export const requestLimits: RequestLimits = { ...guardLimits, ofTier: (tier) => plans[tier].requestsPerMinute }
