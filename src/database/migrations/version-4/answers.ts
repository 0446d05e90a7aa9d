/**
 * The version that cached answers of every process follow, and calls that are counted several in one statement.
 *
 * On Postgres a transaction that changes what an answer is built from writes a version, once. It takes any row that no other transaction
 * holds, and adds one where all are held: so writers never wait for each other, and there are as many rows as there ever were writers at
 * the same time. All rows together are the version. It changes exactly when such a transaction commits. A row begins with the time in microseconds,
 * so that it never has a value of an earlier row of the same number.
 *
 * Embedded, a notification is enough: it arrives with the COMMIT (decision 026). There the setting `wishwell.embedded` is on. On Postgres no
 * process would hear it in time, and a NOTIFY takes a lock of the whole server until its transaction is on disk.
 */
export const cachedAnswers: readonly string[] = [
  `create table answer_versions (
    row_number integer generated always as identity primary key,
    version bigint not null
  ) with (fillfactor = 50)`,

  `create or replace function notify_request_change() returns trigger language plpgsql as $$
  declare
    writer xid8 := pg_current_xact_id_if_assigned();
  begin
    if current_setting('wishwell.embedded', true) = 'on' then
      perform pg_notify('wishwell_requests', '');
      return null;
    end if;
    -- Nothing was written, or this transaction has written its version.
    if writer is null or current_setting('wishwell.versioned', true) = writer::text then
      return null;
    end if;
    update answer_versions set version = version + 1 where row_number = (
      select row_number from answer_versions order by row_number limit 1 for update skip locked
    );
    if not found then
      insert into answer_versions (version) values (extract(epoch from clock_timestamp()) * 1000000);
    end if;
    perform set_config('wishwell.versioned', writer::text, true);
    return null;
  end $$`,

  'alter table rate_limit_windows add column accepted_calls integer not null default 0',
]
