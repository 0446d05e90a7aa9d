import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { isDatabaseUnavailable } from './errors.ts'
import { migrate } from './migrate.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase({ ownDatabase: true })
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

const createAccount = (name: string) =>
  opened.database
    .insertInto('accounts')
    .values({ name, tier: 'free', created_at: new Date('2026-11-21T10:00:00.123Z') })
    .returningAll()
    .executeTakeFirstOrThrow()

describe(`the ${process.env.TEST_BACKEND} database`, () => {
  it('gives the same JavaScript values in both backends', async () => {
    const { rows } = await sql`select 42::bigint as big, '2026-11-21T10:00:00.123Z'::timestamptz as moment,
      array['a','b'] as list, ${JSON.stringify([1, { a: null }])}::jsonb as json, null::int as nothing`.execute(
      opened.database,
    )
    expect(rows).toEqual([
      {
        big: 42,
        moment: new Date('2026-11-21T10:00:00.123Z'),
        list: ['a', 'b'],
        json: [1, { a: null }],
        nothing: null,
      },
    ])
  })

  it('rolls back every statement of a failed transaction', async () => {
    await expect(
      opened.database.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('accounts')
          .values({ name: 'lost', tier: 'free', created_at: new Date() })
          .execute()
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await opened.database.selectFrom('accounts').selectAll().execute()).toEqual([])
  })

  it('never reports a commit of a transaction whose statement failed', async () => {
    const attempt = opened.database.transaction().execute(async (transaction) => {
      await transaction.insertInto('accounts').values({ name: 'lost', tier: 'free', created_at: new Date() }).execute()
      await sql`select 1 / 0`.execute(transaction).catch(() => {})
    })
    await expect(attempt).rejects.toThrow()
    expect(await opened.database.selectFrom('accounts').selectAll().execute()).toEqual([])
  })

  it('reports errors with their SQLSTATE and goes on', async () => {
    const account = await createAccount('a')
    const row = { account_id: account.id, name: 'k', hash: 'same', hint: 'h', created_at: new Date() }
    await opened.database.insertInto('api_keys').values(row).execute()
    await expect(opened.database.insertInto('api_keys').values(row).execute()).rejects.toMatchObject({ code: '23505' })
    expect(account.created_at).toEqual(new Date('2026-11-21T10:00:00.123Z'))
  })

  it('loses no update of interleaved read-modify-write transactions', async () => {
    const account = await createAccount('0')
    const increment = () =>
      opened.database.transaction().execute(async (transaction) => {
        const { name } = await transaction
          .selectFrom('accounts')
          .select('name')
          .where('id', '=', account.id)
          .forUpdate()
          .executeTakeFirstOrThrow()
        await transaction
          .updateTable('accounts')
          .set({ name: String(Number(name) + 1) })
          .execute()
      })
    await Promise.all(Array.from({ length: 40 }, increment))
    const { name } = await opened.database.selectFrom('accounts').select('name').executeTakeFirstOrThrow()
    expect(name).toBe('40')
  })

  it.runIf(process.env.TEST_BACKEND === 'postgres')(
    'survives a server that ends its connections while they are in use',
    async () => {
      // On a database of its own: the pool discovers one by one which of its idle connections were ended too.
      const mine = await openTestDatabase({ ownDatabase: true })
      const end = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      const query = sql`select pg_sleep(30)`.execute(mine.database)
      const transaction = mine.database.transaction().execute(async (open) => {
        await sql`select 1`.execute(open)
        await end.execute(mine.database)
        await sql`select 1`.execute(open)
      })
      // Both at once, so that the first rejection is not unhandled.
      const isLost = (promise: Promise<unknown>) => expect(promise).rejects.toSatisfy(isDatabaseUnavailable)
      await Promise.all([isLost(query), isLost(transaction)])
      const answers = () =>
        sql`select 1`.execute(mine.database).then(
          () => true,
          () => false,
        )
      await expect.poll(answers).toBe(true)
      await mine.close()
    },
  )

  it.runIf(process.env.TEST_BACKEND === 'postgres')(
    'ends a transaction whose process stands still, so that its locks are released',
    async () => {
      const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(opened.database)
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }])
      expect(isDatabaseUnavailable(Object.assign(new Error('ended'), { code: '25P03' }))).toBe(true)
    },
  )

  it('migrates to the same state when it is already there', async () => {
    expect(await migrate(opened.database)).toEqual([])
  })
})
