import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import {
  dumpOf,
  environmentOf,
  makeFilledDatabase,
  newDatabase,
  newDataDirectory,
  type Place,
  readPlace,
} from '../operations/moving/testing.ts'
import { noTerminal, runOnTerminal, startCommand } from './command-testing.ts'
import { formatMovingBar } from './dump.ts'
import { nowhere } from './operator-testing.ts'

// An operator's command needs the key where several processes share a database.
const run = (place: Place, ...parameters: string[]) =>
  startCommand(parameters, { ...environmentOf(place), ADMIN_API_KEY: 'admin-key-of-the-tests' }).finished

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Runs two commands, the first of which writes into the second. */
async function pipe(from: Place, to: Place): Promise<{ codes: unknown[]; stdout: string }> {
  const options = (place: Place) => ({ env: { ...childEnvironment, ...environmentOf(place) } })
  const writer = spawn(process.execPath, [main, 'admin', 'dump', '-'], {
    ...options(from),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const reader = spawn(process.execPath, [main, 'admin', 'restore-dump', '-'], {
    ...options(to),
    stdio: [writer.stdout, 'pipe', 'ignore'],
  })
  let stdout = ''
  reader.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  // Not 'close' of the writer: the other process reads its stdout, so it never ends here.
  const ended = (child: typeof writer | typeof reader, event: 'exit' | 'close') =>
    new Promise((resolve) => child.on(event, resolve))
  const codes = await Promise.all([ended(writer, 'exit'), ended(reader, 'close')])
  return { codes, stdout }
}

let source: Place
beforeAll(async () => {
  const filled = await makeFilledDatabase()
  source = filled.place
  return filled.remove
})

describe('wishwell admin dump and wishwell admin restore-dump', { timeout: 120_000 }, () => {
  it('move all data by a file that only its owner may read', async () => {
    const file = join(source.dataDir, '..', 'wishwell.dump')
    const saved = await run(source, 'admin', 'dump', file)
    expect(saved).toMatchObject({ exitCode: 0 })
    expect(saved.stdout).toMatch(
      /^Saved .*wishwell\.dump: 3 accounts, 3 requests, \d+ rows in all, 0\.0 MB\.\nIt holds the data of all accounts/,
    )
    expect(saved.stderr).toMatch(/^Dumped \d+ of \d+ rows, 0\.0 MB\n/)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const target = await newDatabase()
    const restored = await run(target, 'admin', 'restore-dump', file)
    expect(restored).toMatchObject({ exitCode: 0 })
    expect(restored.stdout).toMatch(/^Restored 3 accounts, 3 requests, \d+ rows in all\.\nStart the service/)
    expect(await readPlace(target)).toEqual(await readPlace(source))
    expect(await run(target, 'admin', 'verify')).toMatchObject({ exitCode: 0 })
  })

  it('move all data through a pipe', async () => {
    const target = await newDatabase()
    const { codes, stdout } = await pipe(source, target)
    expect(codes).toEqual([0, 0])
    expect(stdout).toMatch(/^Restored 3 accounts, 3 requests/)
    expect(await readPlace(target)).toEqual(await readPlace(source))
  })

  it('fail when the reader of a dump ends before it', async () => {
    const command = startCommand(['admin', 'dump', '-'], environmentOf(source))
    command.stopReading('stdout')
    expect(await command.finished).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Cannot write to stdout'),
    })
  })

  it('say in one sentence why nothing was moved', async () => {
    const { dump } = await dumpOf(source)
    const file = join(source.dataDir, '..', 'broken.dump')
    const target = newDataDirectory()
    const refused = async (place: Place, ...parameters: string[]) => {
      const { exitCode, stdout, stderr } = await run(place, ...parameters)
      expect(stdout).toBe('')
      return `${exitCode} ${stderr}`
    }
    writeFileSync(file, 'this is a letter to a friend')
    expect(await refused(target, 'admin', 'restore-dump', file)).toBe(
      `1 wishwell: ${file}: it is not a dump of Wishwell.\n`,
    )
    expect(await refused(target, 'admin', 'restore-dump', `${file}.missing`)).toBe(
      `1 wishwell: ${file}.missing: there is no such file.\n`,
    )
    expect(existsSync(target.dataDir)).toBe(false)
    expect(await refused(target, 'admin', 'dump', file)).toMatch(
      /^1 wishwell: There is no database in .*data\. Set DATA_DIR/,
    )
    writeFileSync(file, dump.subarray(0, dump.length - 1))
    expect(await refused(target, 'admin', 'restore-dump', file)).toContain(
      `\nwishwell: ${file}: it is incomplete: it was cut off.\n`,
    )
    writeFileSync(file, dump)
    expect(await refused(source, 'admin', 'restore-dump', file)).toMatch(
      /^1 wishwell: .*Nothing was restored: the database is not empty/,
    )
    expect(await refused(source, 'admin', 'dump', '-', '--json')).toMatch(/^2 wishwell: --json prints on stdout/)
    const directory = join(source.dataDir, 'no', 'such', 'directory', 'x.dump')
    expect(await refused(source, 'admin', 'dump', directory)).toMatch(
      /^1 wishwell: Cannot write .*x\.dump\.\d+\.partial: ENOENT/,
    )
    expect(readFileSync(file).equals(dump)).toBe(true)
  })

  it.skipIf(noTerminal !== null)('draw one bar on a terminal', async () => {
    const file = join(source.dataDir, '..', 'wishwell.dump')
    const environment = { ...environmentOf(source), WISHWELL_URL: nowhere }
    const { exitCode, output } = await runOnTerminal(['admin', 'dump', file], { columns: 80, environment })
    expect(exitCode).toBe(0)
    expect(output).toMatch(/[█░]{8,} {2}\d+% {2}\d+ of \d+ rows, 0\.0 MB/)
    expect(output).toContain('Saved ')
  })
})

describe('the bar of dump and restore-dump', () => {
  it('is never wider than the terminal', () => {
    const progress = { rows: 1_234_567, totalRows: 9_876_543, bytes: 123_456_789 }
    for (let columns = 1; columns < 200; columns++)
      expect(formatMovingBar(progress, columns).length).toBeLessThan(columns)
    expect(formatMovingBar(progress, 80)).toBe(
      '████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  12%  1,234,567 of 9,876,543 rows, 123.5 MB'.slice(0),
    )
  })
})
