/** A run at a time of every day, or of one weekday, as a cron expression says it. */
export interface DailyTime {
  minute: number
  hour: number
  /** 0 is Sunday; null for every day. */
  weekday: number | null
}

/** Reads a schedule that can be said in words; null for any other. */
export function dailyTimeOf(schedule: string): DailyTime | null {
  const [, minute, hour, weekday] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6])$/.exec(schedule) ?? []
  if (weekday === undefined) return null
  return { minute: Number(minute), hour: Number(hour), weekday: weekday === '*' ? null : Number(weekday) }
}

/** Hours and minutes as a clock shows them. */
export const clockTime = ({ hour, minute }: Pick<DailyTime, 'hour' | 'minute'>): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
