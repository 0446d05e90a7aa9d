/**
 * The trigger that notifies of changes of a table that request lists and searches read; `requests.ts` defines its function. It is a
 * statement trigger: it also fires when no row changed, and Postgres delivers equal notifications of a transaction once.
 */
export const requestChangeTrigger = (table: string): string =>
  `create trigger notify_request_change after insert or update or delete or truncate on ${table}
    for each statement execute function notify_request_change()`
