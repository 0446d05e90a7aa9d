import { Type } from 'typebox'
import {
  monthPattern,
  monthPeriod,
  type Period,
  type PeriodName,
  weekPattern,
  weekPeriod,
} from '../../accounts/period.ts'
import { formedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'

/** Query parameters for a period. @param does the effect, placed before "in this UTC month" */
export const periodParameters = (does: string) => ({
  month: Type.Optional(
    formedText(monthPattern, 'a month, such as 2026-11', { description: `${does} in this UTC month, 2026-11` }),
  ),
  week: Type.Optional(
    formedText(weekPattern, 'an ISO week, such as 2026-W47', {
      description: 'Instead of `month`: in this ISO week, 2026-W47, which begins on Monday at 00:00 UTC',
    }),
  ),
})

/** A query's period, if any. @throws ServiceError INVALID_REQUEST for two, or a week its year lacks */
export function periodIn({ month, week }: { month?: string; week?: string }): (PeriodName & Period) | null {
  if (month !== undefined && week !== undefined) throw invalidField('week', 'cannot stand beside month')
  if (month !== undefined) return { month, ...monthPeriod(month) }
  if (week === undefined) return null
  const period = weekPeriod(week)
  if (period === null) throw invalidField('week', 'is not a week of its year, which has 52')
  return { week, ...period }
}
