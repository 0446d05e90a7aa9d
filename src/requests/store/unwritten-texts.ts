import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import { type SearchedRequest, searchTextOf } from '../words/text.ts'
import { countLater } from '../words/uncounted-texts.ts'
import { noteChangedWords } from '../words/vocabulary.ts'
import { writeTexts } from './texts.ts'

// `unwritten_texts`: the requests of large imports whose searched texts are pending. Writers hold the request's lock.

/** Texts written per transaction: in the embedded backend, all other statements wait for it. */
const sliceTexts = 100

/** Locks a slice of the requests in the order of all writers, skipping those locked elsewhere. */
async function lockUnwritten(transaction: Transaction) {
  const { rows } = await sql<SearchedRequest & { id: string }>`
    select id, title, description, tags, author_name as "authorName", author_handle as "authorHandle" from requests
    where id = any(array(select request_id from unwritten_texts limit ${sql.lit(sliceTexts)}))
    order by platform, source_id for no key update skip locked`.execute(transaction)
  return rows
}

/** Writes a slice of the pending texts. @returns how many; 0 if others have locked all of them */
export const writeUnwritten = (database: Database): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const requests = await lockUnwritten(transaction)
    if (requests.length === 0) return 0
    const written = await writeTexts(
      transaction,
      new Map(requests.map((request) => [request.id, searchTextOf(request)])),
    )
    await countLater(transaction, written.created)
    await noteChangedWords(transaction, written.changed)
    const ids = requests.map(({ id }) => id)
    await sql`delete from unwritten_texts where request_id = any(${ids}::uuid[])`.execute(transaction)
    return requests.length
  })

async function isAnyUnwritten(database: Database): Promise<boolean> {
  const { rows } = await sql`select from unwritten_texts join requests on id = request_id limit 1`.execute(database)
  return rows.length > 0
}

const lockedMs = 1_000

/** Writes the texts of large imports. */
export interface TextWriting extends Pick<BackgroundRun, 'job' | 'run' | 'stop'> {
  /** Stores an import, then starts writing its texts: the import has the database to itself. */
  after<T>(store: () => Promise<T>): Promise<T>
}

/** After a stop, another process or the next start continues. */
export function createTextWriting(database: Database, log: Pick<Logger, 'error'>): TextWriting {
  let storing = 0
  const run: BackgroundRun = createBackgroundRun({
    step: async () => {
      if (storing > 0) return false
      const isDone = (await writeUnwritten(database)) === 0
      if (isDone && (await isAnyUnwritten(database))) run.startSoon(lockedMs)
      return !isDone
    },
    pauseFactor: 0.5,
    onError: (error) => log.error({ err: error }, 'writing texts failed'),
  })
  return {
    ...run,
    after: async (store) => {
      storing += 1
      try {
        return await store()
      } finally {
        storing -= 1
        run.startSoon(0)
      }
    },
  }
}
