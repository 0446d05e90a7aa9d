/** Response headers from undici, with lower-case names. */
export type AnswerHeaders = Record<string, string | string[] | undefined>

// No platform demands more than a day; a wrong clock or hostile header must not stop one for years.
export const maxPauseMs = 24 * 60 * 60 * 1000

export function headerText(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** A header as a whole number, zero or more; null otherwise. */
export function headerNumber(headers: AnswerHeaders, name: string): number | null {
  const text = headerText(headers, name)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** A header in seconds since 1970, if within the next 24 hours. */
export function headerEpochSeconds(headers: AnswerHeaders, name: string, now: Date): Date | null {
  const seconds = headerNumber(headers, name)
  if (seconds === null) return null
  const waitMs = seconds * 1000 - now.getTime()
  return waitMs > 0 && waitMs <= maxPauseMs ? new Date(seconds * 1000) : null
}

/** `Retry-After` (RFC 9110: seconds or a date) as a future time, at most 24 hours away. */
export function retryAfter(headers: AnswerHeaders, now: Date): Date | null {
  const text = headerText(headers, 'retry-after')
  if (text === null) return null
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return waitMs > 0 ? after(now, waitMs) : null
}

/** `now` plus a wait of at most 24 hours. */
export function after(now: Date, waitMs: number): Date {
  return new Date(now.getTime() + Math.min(waitMs, maxPauseMs))
}

/** Whether `Link` (RFC 8288) has a next page; its mere presence does not say: GitHub also uses it for deprecations. */
export function hasNextLink(headers: AnswerHeaders): boolean {
  const parameters = (headerText(headers, 'link') ?? '').replace(/<[^>]*>/g, '')
  return /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:[;,]|$))/i.test(parameters)
}
