import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { normaliseText } from '../../text/normalise.ts'
import { isStopWord } from '../../text/words.ts'
import type { ComparedRequest } from './similarity.ts'

/** How much of a description is compared, in UTF-16 units: authors say first what they want. */
const comparedLength = 400

const tellingText = (text: string) =>
  normaliseText(text.slice(0, comparedLength))
    .split(' ')
    .filter((word) => !isStopWord(word))
    .join(' ')

/**
 * The words of some requests as the search index stems them, without stop words.
 */
export async function readComparedWords(
  executor: Executor,
  requests: readonly { title: string; description: string }[],
): Promise<ComparedRequest[]> {
  const titles = requests.map(({ title }) => tellingText(title))
  const descriptions = requests.map(({ description }) => tellingText(description))
  const { rows } = await sql<{ title: string[]; description: string[] }>`
    select tsvector_to_array(to_tsvector('wishwell', title)) as title,
      tsvector_to_array(to_tsvector('wishwell', description)) as description
    from unnest(${titles}::text[], ${descriptions}::text[]) with ordinality as request (title, description, position)
    order by position`.execute(executor)
  return rows.map((row) => ({ title: new Set(row.title), text: new Set([...row.title, ...row.description]) }))
}
