import { defaultPricing, type Pricing } from '../../../src/accounts/plans.ts'

/** What the operator offers, as the document says it that the service sent. */
export function readPricing(): Pricing {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="pricing"]')
  return meta === null ? defaultPricing : (JSON.parse(meta.content) as Pricing)
}

/** Whether the service does not meter: nothing costs a credit. */
export const isFree = (): boolean => readPricing().prices.page === 0
