import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { databaseIn, makeWorkDirectory } from './data-directory.ts'
import { closeToOthers } from './permissions.ts'
import { writeVersion } from './version-file.ts'

const file = fileURLToPath(new URL('./creation-process.ts', import.meta.url))

/**
 * Makes the database of a data directory, if there is none. That takes half a gigabyte, which a process gives back only by its end,
 * so another process does it. The database comes to its place whole: whatever is cut off leaves none. The caller holds the lock.
 * @throws Error with what that process said when it failed.
 */
export async function createDatabaseFiles(dataDir: string): Promise<void> {
  const place = databaseIn(dataDir)
  if (existsSync(join(place, 'PG_VERSION'))) return
  const work = makeWorkDirectory(dataDir)
  const made = join(work, 'database')
  try {
    const child = fork(file, [made], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const said = child.stderr ? text(child.stderr) : ''
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (code !== 0) throw new Error(`The database could not be made (${signal ?? `exit code ${code}`}): ${await said}`)
    writeVersion(made)
    // PGlite makes its first files writable for every user; what Postgres makes later has the permissions of the directory.
    closeToOthers(made)
    rmSync(place, { recursive: true, force: true })
    renameSync(made, place)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
