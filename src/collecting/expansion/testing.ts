import { sql } from 'kysely'
import { changeRequests } from '../../../test/stored-requests.ts'
import type { Database } from '../../database/open.ts'
import { searchTextOf } from '../../requests/words/text.ts'

// The contents of the cache in tests of the expansion.

export interface CachedRequest {
  title: string
  description?: string
  /** A handle; null when the platform names no author. */
  author: string | null
  authorName?: string
}

/** Stores requests as a page of a platform would. */
export async function fillCache(database: Database, requests: readonly CachedRequest[]): Promise<void> {
  const rows = requests.map(({ title, description = '', author, authorName = null }) => ({
    id: crypto.randomUUID(),
    title,
    description,
    author,
    author_name: authorName,
    text: searchTextOf({ title, description, tags: [], authorName, authorHandle: author }),
  }))
  await changeRequests(
    database,
    sql`
    with incoming as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as incoming (id uuid, title text, description text, author text, author_name text, text text)
    ), stored as (
      insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, author_handle, author_name,
        topic, created_at, updated_at)
      select 1, id, 'github', id::text, title, description, 0, '{}', '', author, author_name, '', now(), now() from incoming
    )
    insert into request_texts (request_id, text) select id, text from incoming`,
  )
}

const subjects = ['calendar export', 'invoice number', 'keyboard layout', 'photo album', 'train ticket', 'garden map']

/** Sixty requests of sixty authors about other things. */
export const otherRequests: readonly CachedRequest[] = Array.from({ length: 60 }, (_, index) => ({
  title: `Add a ${subjects[index % subjects.length]} for plan ${index}`,
  description: 'It would be nice to have. Steps to reproduce: none.',
  author: `other${index}`,
}))

const beginnings = [
  'I love the',
  'We all miss the',
  'My wife wants the',
  'Everybody here knows the',
  'Give us a',
  'Where is the',
]
const endings = [
  'at home',
  'in the evening',
  'on every phone',
  'while reading in bed',
  'for my eyes',
  'during long flights',
  'a lot',
]

/**
 * Requests of different authors that a search for "dark mode" finds, each with these phrases in sentences of its own (equal
 * sentences of several authors count as the text of a form), and with a text that is the same in all.
 */
export const darkModeRequests = (count: number, phrases: readonly string[], sameText = ''): CachedRequest[] =>
  Array.from({ length: count }, (_, index) => {
    const beginning = beginnings[index % beginnings.length]
    const ending = endings[index % endings.length]
    const sentences = phrases.map((phrase) => `${beginning} ${phrase} ${ending}.`)
    return {
      title: `Dark mode for screen ${index}`,
      description: `${sentences.join('\n')}\n${sameText}`,
      author: `night${index}`,
    }
  })
