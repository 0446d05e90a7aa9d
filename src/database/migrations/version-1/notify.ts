/** The trigger that notifies of changes of a table that answers about requests are made of. `requests.ts` has its function. */
export const tellOf = (table: string): string =>
  `create trigger tell_of_${table} after insert or update or delete or truncate on ${table}
    for each statement execute function tell_of_requests()`
