-- What cached answers of the embedded database follow: a notification of a change, which arrives with the COMMIT (decision 026). There the setting
-- `wishwell.embedded` is on. On Postgres no process would hear it in time, and a NOTIFY takes a lock of the whole server until its transaction is on
-- disk: nothing is cached there. A statement trigger also fires when no row changed, and equal notifications of a transaction are delivered once.

do $do$
  declare
    name text;
  begin
    if current_setting('wishwell.embedded', true) is distinct from 'on' then
      return;
    end if;
    create function notify_request_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('wishwell_requests', '');
      return null;
    end $$;
    foreach name in array array[
      'requests', 'request_texts', 'request_topics', 'account_requests', 'request_corrections', 'scrape_job_requests', 'search_words',
      'wishes', 'wish_members', 'wish_corrections', 'wish_marks',
      'account_wishes', 'account_wish_members', 'account_wish_merges'
    ] loop
      execute format('create trigger notify_request_change after insert or update or delete or truncate on %I
        for each statement execute function notify_request_change()', name);
    end loop;
  end
$do$;
