/** The UTC calendar month of a moment, as `YYYY-MM`. */
export const monthOf = (moment: Date): string => moment.toISOString().slice(0, 7)

/** The first instant after a month, given as `YYYY-MM`: when its pool is fresh again. */
export function endOfMonth(month: string): Date {
  const first = new Date(`${month}-01T00:00:00.000Z`)
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1))
}
