import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { changeRequests } from '../../../test/stored-requests.ts'
import { verifyLedger } from '../../credits/verify.ts'
import { findWrongCounts } from '../../wishes/topics/verify.ts'
import {
  dumpOf,
  makeFilledDatabase,
  newDatabase,
  newDataDirectory,
  type Place,
  readPlace,
  readRows,
  restoreInto,
  withDatabase,
} from './testing.ts'

// Holds (Data): moves between the embedded database and Postgres keep every row identical, both ways

const sequencesOf = (place: Place) =>
  withDatabase(place, async ({ opened: { database } }) => {
    const { rows } = await sql`
      select sequencename, last_value from pg_sequences where schemaname = current_schema() order by 1`.execute(
      database,
    )
    return rows
  })

let source: Place
beforeAll(async () => {
  const filled = await makeFilledDatabase()
  source = filled.place
  return filled.remove
})

describe('all data', () => {
  it('are in the same rows after moving from the embedded database, and back into one', {
    timeout: 240_000,
  }, async () => {
    const before = await readPlace(source)
    const filled = Object.keys(before).filter((name) => before[name]?.length !== 0)
    const exempt = ['topic_deltas', 'word_deltas', 'search_changes', 'search_consumers', 'search_indexes']
    expect(Object.keys(before).filter((name) => !filled.includes(name) && !exempt.includes(name))).toEqual([])

    const first = await dumpOf(source)
    const middle = await newDatabase()
    expect(await restoreInto(middle, first.dump)).toEqual({ rows: first.rows, totalRows: first.totalRows })
    expect(await readPlace(middle)).toEqual(before)
    expect(await sequencesOf(middle)).toEqual(await sequencesOf(source))

    const last = newDataDirectory()
    await restoreInto(last, (await dumpOf(middle)).dump)
    expect(await readPlace(last)).toEqual(before)
    await withDatabase(last, async ({ opened: { database } }) => {
      expect(await verifyLedger(database)).toEqual([])
      expect(await findWrongCounts(database)).toEqual([])
    })
  })

  it('are unchanged in the dumped database', async () => {
    const before = await readPlace(source)
    const [first, second] = [await dumpOf(source), await dumpOf(source)]
    expect(second.dump.equals(first.dump)).toBe(true)
    expect(await readPlace(source)).toEqual(before)
  })

  it('are maintained after a restore, and unfinished tasks are queued', async () => {
    const target = await newDatabase()
    await restoreInto(target, (await dumpOf(source)).dump)
    await withDatabase(target, async ({ opened: { database } }) => {
      const disabled = await sql`select tgname from pg_trigger where tgenabled <> 'O' and not tgisinternal`.execute(
        database,
      )
      expect(disabled.rows).toEqual([])
      const { rows: open } = await sql<{ isQueued: boolean }>`
        select exists (select from pgboss.job where job.id = queue_message_id) as "isQueued"
        from scrape_tasks where state in ('pending', 'running')`.execute(database)
      expect(open).toEqual([{ isQueued: true }, { isQueued: true }])
      await changeRequests(database, sql`update requests set votes = 1000 where source_id = 'example/app#1'`)
      const rows = await readRows(database)
      expect(rows.request_facets).toContainEqual(expect.objectContaining({ votes: 1000 }))
      expect(rows.wishes).toContainEqual(expect.objectContaining({ votes: 1000 }))
    })
  })
})
