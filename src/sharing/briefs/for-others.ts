import type { Brief, BriefQuote, BriefWish } from './schemas.ts'

export type SharedBriefWish = BriefWish & {
  /** Whether its title exists but may not be passed on. */
  isWithheld?: true
}

/** A brief for readers of its share: omits texts of platforms that do not allow passing them on. */
export function forOthers(brief: Brief): Brief {
  const { leftOut, wishes, settled } = brief.document
  const mayBeSaid = (quote: BriefQuote | null) => quote === null || !leftOut.unquotedPlatforms.includes(quote.platform)
  const toShared = (wish: BriefWish | null): SharedBriefWish | null => {
    if (wish === null) return null
    const quotes = wish.quotes.filter(mayBeSaid)
    if (mayBeSaid(wish.title)) return { ...wish, quotes }
    const title = wish.sharedTitle ?? null
    return { ...wish, quotes, title, ...(title === null && { isWithheld: true }) }
  }
  const document = { ...brief.document, wishes: wishes.map(toShared), settled: settled.map(toShared) }
  return { ...brief, document }
}
