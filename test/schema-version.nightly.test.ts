import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startCommand } from '../src/cli/command-testing.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { openDatabase } from '../src/database/open.ts'
import { schemaVersion } from '../src/database/schema-version.ts'
import { startChildService } from './child-service.ts'
import { copyDatabase, type DatabaseCopy } from './database.ts'
import { readSchema } from './schema.ts'

// Holds (Data): a database of another version is refused and left unchanged

// A database that another version made: every way to it refuses it in one sentence, and nothing in it changes.

const embedded = process.env.TEST_BACKEND === 'embedded'

let copy: DatabaseCopy
beforeEach(async () => {
  copy = await copyDatabase()
})
afterEach(() => copy.remove())

const versionFile = () => join(copy.options.dataDir, 'database', 'WISHWELL_SCHEMA_VERSION')
const environment = () => ({
  DATA_DIR: copy.options.dataDir,
  ...(copy.options.databaseUrl === undefined ? {} : { DATABASE_URL: copy.options.databaseUrl }),
  // Nothing listens there: the operator's commands open the database themselves.
  WISHWELL_URL: 'http://127.0.0.1:2',
  ADMIN_API_KEY: 'admin-key-of-this-test',
})

async function withDatabase<T>(run: (opened: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>): Promise<T> {
  const opened = await openDatabase({ ...copy.options, onCrash: () => {} })
  return run(opened).finally(opened.close)
}

/** What the versions before the first release recorded. */
const recordOlder = () =>
  withDatabase(({ database }) =>
    sql`update kysely_migration set name = '005-come-back' where name = '2026-12-11-baseline'`.execute(database),
  )
const recordNewer = () =>
  withDatabase(({ database }) =>
    sql`insert into kysely_migration values ('2100-01-01-of-a-later-version', now())`.execute(database),
  )

/** Every name below a directory, with the size, the times, the mode and the contents of what it names. */
function fingerprintOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((file) => {
      const path = join(file.parentPath, file.name)
      const { size, mtimeMs, ctimeMs, mode } = lstatSync(path)
      const hash = file.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
      return [relative(directory, path), size, mtimeMs, ctimeMs, mode, hash].join(' ')
    })
    .sort()
}

/** The schema and all recorded migrations of a Postgres database. */
const postgresState = () =>
  withDatabase(async ({ database }) => {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by 1`.execute(database)
    return [...(await readSchema(database)), ...rows.map(({ name }) => name)]
  })

const state = async (): Promise<string[]> => (embedded ? fingerprintOf(copy.options.dataDir) : postgresState())

const oneSentence = (age: 'an older' | 'a newer') =>
  new RegExp(
    `^wishwell: The database (in \\S+|at DATABASE_URL) was made by ${age} Wishwell, whose tables this version cannot read; ` +
      'nothing in it was changed: .* \\(another (DATA_DIR|DATABASE_URL)\\)\\.\\n$',
  )

/** Starts the service and every command that opens the database. */
async function expectRefusals(age: 'an older' | 'a newer'): Promise<void> {
  const commands = [
    ['admin', 'migrate'],
    ['admin', 'accounts', 'list'],
    ['admin', 'backup', join(copy.options.dataDir, '..', 'never-written')],
  ]
  for (const command of commands) {
    const { exitCode, stderr, stdout } = await startCommand(command, environment()).finished
    expect([exitCode, stdout], command.join(' ')).toEqual([exitCodes.failed, ''])
    expect(stderr).toMatch(oneSentence(age))
  }
  const failure: Error = await startChildService(environment()).then(
    () => new Error('it started'),
    (error: Error) => error,
  )
  expect(failure.message).toMatch(new RegExp(`^the service ended with ${exitCodes.failed}: `))
  expect(failure.message.replace(/^the service ended with \d+: /, '')).toMatch(oneSentence(age))
}

describe.runIf(embedded)('a data directory', { timeout: 120_000 }, () => {
  it.each([
    ['an older', () => rmSync(versionFile())],
    // The last schema before the first release.
    ['an older', () => writeFileSync(versionFile(), '5\n')],
    ['a newer', () => writeFileSync(versionFile(), '21000101\n')],
  ] as const)('of %s version is refused without any change', async (age, change) => {
    change()
    const before = await state()
    await expectRefusals(age)
    expect(await state()).toEqual(before)
    expect(existsSync(join(copy.options.dataDir, 'admin-key'))).toBe(false)
  })

  it('whose version file is damaged is judged by its recorded migrations', async () => {
    writeFileSync(versionFile(), '')
    const { exitCode } = await startCommand(['admin', 'migrate'], environment()).finished
    expect([exitCode, readFileSync(versionFile(), 'utf8')]).toEqual([exitCodes.ok, `${schemaVersion}\n`])
    await recordNewer()
    writeFileSync(versionFile(), '')
    await expectRefusals('a newer')
  })
})

describe('a database', { timeout: 120_000 }, () => {
  it.each([
    ['an older', recordOlder],
    ['a newer', recordNewer],
  ] as const)('with the recorded migrations of %s version is refused, and none runs', async (age, change) => {
    await change()
    const before = await postgresState()
    await expectRefusals(age)
    expect(await postgresState()).toEqual(before)
  })
})
