import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { moduleFile } from '../../runtime/module-file.ts'
import { databaseIn, makeWorkDirectory } from './data-directory.ts'
import { closeToOthers } from './lock.ts'
import { writeVersion } from './version-file.ts'

const file = fileURLToPath(moduleFile('./creation-process', import.meta.url))

/**
 * Makes the database of a data directory, if there is none. That takes half a gigabyte, which a process returns only at its end,
 * so another process does it, in a work directory. One renaming installs it: a crash leaves no half of a database. The caller
 * holds the lock.
 * @throws Error with the output of that process when it failed.
 */
export async function createDatabaseFiles(dataDir: string): Promise<void> {
  const installed = databaseIn(dataDir)
  if (existsSync(join(installed, 'PG_VERSION'))) return
  const work = makeWorkDirectory(dataDir)
  const made = join(work, 'database')
  try {
    const child = fork(file, [made], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const output = child.stderr ? text(child.stderr) : ''
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (code !== 0)
      throw new Error(`The database could not be made (${signal ?? `exit code ${code}`}): ${await output}`)
    writeVersion(made)
    // PGlite makes its first files writable for every user; what Postgres makes later has the permissions of the directory.
    closeToOthers(made)
    rmSync(installed, { recursive: true, force: true })
    renameSync(made, installed)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
