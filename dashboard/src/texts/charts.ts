export const chartTexts = {
  asTable: 'As a table',
  summary: (total: string, peak: string, most: string) => `${total} in all; most in ${peak}: ${most}.`,
  level: (first: string, last: string) => `From ${first} to ${last}.`,
  none: 'Nothing in this time.',
}
