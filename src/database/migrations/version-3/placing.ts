/** What is to be placed in a wish: requests that became likely, for all or for an account, and those whose text changed. */
export const placing: readonly string[] = [
  'create index wish_queue_next on wish_queue (queued_at desc, request_id)',
  'insert into wish_queue (request_id) select distinct request_id from account_requests where standing = 2 on conflict do nothing',

  // A request that is queued again loses its claim: what is being placed was read before the change.
  `create function queue_placing(ids uuid[]) returns void language sql as $$
    insert into wish_queue (request_id)
    select id from requests
    where id = any(ids) and not exists (select from wish_members where wish_members.request_id = id)
      and (standing = 2 or exists (
        select from account_requests as own where own.request_id = id and own.standing = 2))
    on conflict (request_id) do update set queued_at = excluded.queued_at, claimed_until = null
  $$`,
  // The text of a request is written after its standing is settled.
  `create function queue_new_texts() returns trigger language plpgsql as $$
    begin
      perform queue_placing(array(select request_id from new_texts));
      return null;
    end $$`,
  `create trigger queue_new_texts after insert on request_texts referencing new table as new_texts
    for each statement execute function queue_new_texts()`,
  `create function queue_changed_texts() returns trigger language plpgsql as $$
    begin
      perform queue_placing(array(
        select request_id from new_texts join old_texts using (request_id) where new_texts.text <> old_texts.text));
      return null;
    end $$`,
  `create trigger queue_changed_texts after update on request_texts
    referencing old table as old_texts new table as new_texts
    for each statement execute function queue_changed_texts()`,
  `create function queue_changed_standing() returns trigger language plpgsql as $$
    begin
      perform queue_placing(array[new.id]);
      return null;
    end $$`,
  `create trigger queue_changed_standing after update of standing on requests
    for each row when (new.standing = 2 and old.standing <> 2) execute function queue_changed_standing()`,
  `create function queue_account_standing() returns trigger language plpgsql as $$
    begin
      perform queue_placing(array[new.request_id]);
      return null;
    end $$`,
  `create trigger queue_account_standing after insert or update on account_requests
    for each row when (new.standing = 2) execute function queue_account_standing()`,

  // Tells the processes that place requests that there are new ones.
  `create function notify_wish_queue() returns trigger language plpgsql as $$
    begin
      perform pg_notify('wishwell_wish_queue', '');
      return null;
    end $$`,
  `create trigger notify_wish_queue after insert on wish_queue
    for each statement execute function notify_wish_queue()`,
]
