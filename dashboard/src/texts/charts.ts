import { t } from '@lingui/core/macro'
export const chartTexts = {
  asTable: t`As a table`,
  summary: (total: string, peak: string, most: string) => t`${total} in all; the peak is ${most}, ${peak}.`,
  level: (first: string, last: string) => (first === last ? t`Unchanged: ${first}.` : t`From ${first} to ${last}.`),
  none: t`Nothing in this time.`,
}
