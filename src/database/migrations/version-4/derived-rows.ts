/** What a transaction writes about a request that it has locked, or has just made: no delete of the request can pass it. */
const derivedTables = ['request_facets', 'searchable_requests', 'uncounted_texts', 'wish_queue']

/**
 * The rows that are derived from a request go with it by one statement a table. A foreign key would look for the request of each new row, 11 us a row in the
 * embedded database, and each new request has four of them.
 */
export const derivedRows: readonly string[] = [
  ...derivedTables.map((table) => `alter table ${table} drop constraint ${table}_request_id_fkey`),
  `create function delete_derived_rows() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
${derivedTables.map((table) => `      delete from ${table} using gone where ${table}.request_id = gone.id;`).join('\n')}
      return null;
    end $$`,
  `create trigger delete_derived_rows after delete on requests referencing old table as gone
    for each statement execute function delete_derived_rows()`,
]
