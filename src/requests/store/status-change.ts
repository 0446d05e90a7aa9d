import { sql } from 'kysely'

// Parts of the upsert of requests: `requests` is the stored row, `excluded` the one that was found.

/** Whether the platform's date of the status differs from the stored one. */
export const statusDateIsNews = sql`(excluded.status_changed_at is not null
  and excluded.status_changed_at is distinct from requests.status_changed_at)`

/** Whether the status was read before, so that another one is a change. */
const wasRead = sql`(requests.status is not null or excluded.status <> 'open')`

/** Whether the platform says that the status is another one, and not since when. */
const isObserved = sql`(excluded.status is not null and excluded.status_changed_at is null
  and excluded.status is distinct from requests.status and ${wasRead})`

/** When the status changed: by the platform, else when it was first seen to be another; null when that is not known. */
export const statusAssignments = sql`
  status_changed_at = case
    when excluded.status_changed_at is not null then excluded.status_changed_at
    when ${isObserved} then excluded.updated_at
    when excluded.status = requests.status then requests.status_changed_at end,
  status_observed = ${isObserved}
    or (excluded.status_changed_at is null and excluded.status is not null and excluded.status = requests.status
      and requests.status_observed)`
