export const chartTexts = {
  asTable: 'As a table',
  summary: (total: string, peak: string, most: string) => `${total} in all; the peak is ${most}, ${peak}.`,
  level: (first: string, last: string) => (first === last ? `Unchanged: ${first}.` : `From ${first} to ${last}.`),
  none: 'Nothing in this time.',
}
