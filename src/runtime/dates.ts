// The one form of dates in texts for people; values of JSON are ISO 8601.

const inForm = (time: Intl.DateTimeFormatOptions, zone = '') => {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC', ...time })
  // What a service sends may be none.
  return (moment: Date | string) =>
    Number.isNaN(+new Date(moment)) ? 'no date' : format.format(new Date(moment)) + zone
}
/** A moment as its UTC day: `29 Nov 2026`. */
export const formatDay = inForm({})
/** A moment to the minute: `29 Nov 2026, 17:12 UTC`. */
export const formatMoment = inForm({ timeStyle: 'short' }, ' UTC')
