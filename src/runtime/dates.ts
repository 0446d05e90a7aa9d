// The one format of dates for people; JSON uses ISO 8601.

const inForm = (time: Intl.DateTimeFormatOptions, zone = '') => {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC', ...time })
  // Text from a service may be no date.
  return (moment: Date | string) =>
    Number.isNaN(+new Date(moment)) ? 'no date' : format.format(new Date(moment)) + zone
}
/** The UTC day: `29 Nov 2026`. */
export const formatDay = inForm({})
/** To the minute: `29 Nov 2026, 17:12 UTC`. */
export const formatMoment = inForm({ timeStyle: 'short' }, ' UTC')
