import { requestChangeTrigger } from '../version-1/change-trigger.ts'

/** What makes storing cheaper: words are counted in the background. */
export const storing: readonly string[] = [
  // The process that counts words waits for this, also where another process stored the texts.
  `create function notify_uncounted_texts() returns trigger language plpgsql as $$
    begin
      perform pg_notify('wishwell_uncounted_texts', '');
      return null;
    end $$`,
  `create trigger notify_uncounted_texts after insert on uncounted_texts
    for each statement execute function notify_uncounted_texts()`,
  // Beginnings and suggestions are read from it: answers that were made before the words were counted must not be given again.
  requestChangeTrigger('search_words'),
]
