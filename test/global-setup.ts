import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { startPostgres } from './postgres.ts'

const onCrash = (error: Error) => {
  throw error
}

async function migrateAndClose(options: { databaseUrl: string | undefined; dataDir: string }): Promise<void> {
  const { database, close } = await openDatabase({ ...options, onCrash })
  await migrate(database)
  await close()
}

/** Makes the migrated database that every test file copies: creating one takes seconds, a copy a fraction of one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-template-'))
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true })
  if (project.name === 'embedded') {
    await migrateAndClose({ databaseUrl: undefined, dataDir: directory })
    project.provide('databaseTemplate', { home: 'embedded', directory })
    return async () => removeDirectory()
  }
  const server = await startPostgres()
  const name = 'wishwell_template'
  await server.createDatabase(name)
  await migrateAndClose({ databaseUrl: server.url(name), dataDir: directory })
  project.provide('databaseTemplate', { home: 'postgres', url: server.url('postgres'), name })
  return async () => {
    await server.stop()
    removeDirectory()
  }
}
