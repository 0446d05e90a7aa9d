import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Schedule } from './schedule.ts'

/** A row of `watches`. */
export type Watch = Selectable<Tables['watches']>

export const scheduleOf = ({
  schedule,
  timezone,
  account_id: accountId,
  topic,
}: Pick<Watch, 'schedule' | 'timezone' | 'account_id' | 'topic'>): Schedule => ({
  schedule,
  timezone,
  accountId,
  topic,
})
