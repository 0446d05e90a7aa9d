/**
 * A trigger function that wakes what works in the background. A notification holds a lock of the whole cluster until its transaction has
 * ended, so all commits would wait for each other. Therefore only one transaction at a time notifies, of both channels: the others end
 * at about the same time, and who listens reads once more a little later.
 */
const wakeUp = (name: string) => `
  create or replace function ${name}() returns trigger language plpgsql as $$
  begin
    -- The number is in src/database/advisory-locks.ts.
    if pg_try_advisory_xact_lock(4680015) then
      perform pg_notify('wishwell_uncounted_texts', ''), pg_notify('wishwell_wish_queue', '');
    end if;
    return null;
  end $$`

export const wakeUps: readonly string[] = [
  wakeUp('notify_uncounted_texts'),
  wakeUp('notify_wish_queue'),
  ...['topic_deltas', 'word_deltas'].map(
    (table) => `create trigger notify_uncounted_texts after insert on ${table}
      for each statement execute function notify_uncounted_texts()`,
  ),
]
