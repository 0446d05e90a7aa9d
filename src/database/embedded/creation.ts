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
 * Creates a missing database in a child process, since only its exit frees the half gigabyte this takes. One rename
 * installs it: a crash leaves nothing half-made. The caller holds the lock.
 * @throws Error with the child's output
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
    // PGlite makes its first files world-writable; later ones inherit the directory's permissions.
    closeToOthers(made)
    rmSync(installed, { recursive: true, force: true })
    renameSync(made, installed)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
