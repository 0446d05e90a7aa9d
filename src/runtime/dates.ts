// The one form of dates in texts for people. Values of JSON are ISO 8601.

const inForm = (time: Intl.DateTimeFormatOptions, zone = '') => {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC', ...time })
  /** @param moment a date, or one as ISO 8601 */
  return (moment: Date | string): string => {
    const date = new Date(moment)
    return Number.isNaN(date.getTime()) ? 'no date' : format.format(date) + zone
  }
}

/** A moment as its UTC day: `29 Nov 2026`. */
export const formatDay = inForm({})

/** A moment to the minute: `29 Nov 2026, 17:12 UTC`. */
export const formatMoment = inForm({ timeStyle: 'short' }, ' UTC')
