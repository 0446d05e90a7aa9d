import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChildService } from '../../test/child-service.ts'
import { createTestClient } from '../../test/client.ts'
import { copyDatabase } from '../../test/database.ts'
import { openDatabase } from '../database/open.ts'
import { startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { adminKey, type Environment, makeDirectory, nowhere, run, useEveryCommand } from './operator-testing.ts'

// Holds (HTTP and secrets): the operator's commands do the same with and without a running service

const embedded = process.env.TEST_BACKEND === 'embedded'

describe('with no service', () => {
  async function copyOffline() {
    const copy = await copyDatabase()
    onTestFinished(() => copy.remove())
    const { dataDir, databaseUrl } = copy.options
    const backend: Environment = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
    return { copy, environment: { WISHWELL_URL: nowhere, ADMIN_API_KEY: adminKey, DATA_DIR: dataDir, ...backend } }
  }

  it('the commands do the same on the database itself, and say so', { timeout: 300_000 }, async () => {
    const { copy, environment } = await copyOffline()
    // The copy has what a start of the service makes; the commands have to do without the queue.
    const prepared = await openDatabase({ ...copy.options, onCrash: () => {} })
    await sql`drop schema if exists pgboss cascade`.execute(prepared.database)
    await prepared.close()
    const { accountId, firstKey, listed } = await useEveryCommand(environment)
    // No first account beside it, whose key nobody would ever see; and no queue.
    expect(listed).toBe(1)
    const { stderr } = await run(environment, 'admin', 'accounts', 'list')
    expect(stderr).toContain(`using the database in ${embedded ? environment.DATA_DIR : 'DATABASE_URL'} directly`)
    const opened = await openDatabase({ ...copy.options, onCrash: () => {} })
    const { rows } = await sql`select to_regnamespace('pgboss') as queue`.execute(opened.database)
    await opened.close()
    expect(rows).toEqual([{ queue: null }])

    const service = await startChildService(environment)
    const client = createTestClient(() => service.url, firstKey)
    expect((await client.get('/api/v1/keys')).body.data.results).toHaveLength(2)
    await service.end('SIGTERM')
    expect((await run(environment, 'admin', 'accounts', 'link')).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#/)
    expect((await run(environment, 'admin', 'accounts', 'delete', accountId, '--yes')).exitCode).toBe(exitCodes.ok)
    expect((await run(environment, 'admin', 'accounts', 'link')).stderr).toContain('There are no accounts.')
    expect((await run(environment, 'admin', 'accounts', 'delete', accountId, '--yes')).stderr).toContain(
      'Account not found.',
    )
  })

  it.runIf(embedded)('a directory that a service holds is left alone', async () => {
    const { environment } = await copyOffline()
    const service = await startChildService(environment)
    const { exitCode, stderr } = await run(environment, 'admin', 'accounts', 'create', 'x')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain(
      `A service holds the data directory ${environment.DATA_DIR}, but nothing listens at ${nowhere}`,
    )
    const { DATA_DIR } = environment
    expect((await run({ DATA_DIR, WISHWELL_URL: nowhere }, 'admin', 'accounts', 'list')).exitCode).toBe(
      exitCodes.unreachable,
    )
    expect(existsSync(join(DATA_DIR, 'admin-key'))).toBe(false)
    expect((await run({ ...environment, WISHWELL_URL: service.url }, 'admin', 'accounts', 'list')).exitCode).toBe(
      exitCodes.ok,
    )
    await service.end('SIGTERM')
  })

  it('a command whose stderr is closed does not end with success', async () => {
    const { environment } = await copyOffline()
    const command = startCommand(['admin', 'accounts', 'create', 'x'], environment)
    command.stopReading('stderr')
    expect((await command.finished).exitCode).toBe(exitCodes.failed)
    expect((await run(environment, 'admin', 'accounts', 'list', '--json')).data.results).toEqual([])
  })

  it('no database is made where there is none', async () => {
    const directory = join(makeDirectory(), 'data')
    const { exitCode, stderr } = await run({ WISHWELL_URL: nowhere, DATA_DIR: directory }, 'admin', 'accounts', 'list')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain(`there is no database in ${directory}`)
    expect(existsSync(directory)).toBe(false)
  })

  it("another machine's service is not replaced by the database of this one", async () => {
    const { environment } = await copyOffline()
    const elsewhere = { ...environment, WISHWELL_URL: 'http://0.0.0.0:2' }
    const { exitCode, stderr } = await run(elsewhere, 'admin', 'accounts', 'create', 'x')
    expect(exitCode).toBe(exitCodes.unreachable)
    expect(stderr).toContain('Nothing listens at http://0.0.0.0:2.')
    expect((await run(environment, 'admin', 'accounts', 'list', '--json')).data.results).toEqual([])
  })
})
