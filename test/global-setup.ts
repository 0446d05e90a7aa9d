import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../src/app/config.ts'
import { prepareDatabase } from '../src/app/prepare-database.ts'
import { startPostgres } from './postgres.ts'

const onCrash = (error: Error) => {
  throw error
}

/** Makes all tables, also those of the queue, so that no service has to. */
async function prepareAndClose(environment: { DATABASE_URL?: string; DATA_DIR: string }): Promise<void> {
  const { opened, queue } = await prepareDatabase(readConfig(environment), pino({ level: 'silent' }), onCrash)
  await queue.stop()
  await opened.close()
}

/** Makes the migrated database that every worker copies: creating one takes seconds, a copy a fraction of one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-test-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true })
  const directory = join(scratch, 'template')
  mkdirSync(directory)
  if (project.config.env.TEST_BACKEND === 'embedded') {
    await prepareAndClose({ DATA_DIR: directory })
    project.provide('databaseTemplate', { backend: 'embedded', directory })
    return async () => removeScratch()
  }
  const server = await startPostgres()
  const name = 'wishwell_template'
  await server.createDatabase(name)
  await prepareAndClose({ DATABASE_URL: server.url(name), DATA_DIR: directory })
  // pg_textsearch mistakes indexes with the same number in two databases for each other, as copies have: each copy makes its own.
  await server.run(name, 'drop index if exists request_texts_bm25')
  project.provide('databaseTemplate', { backend: 'postgres', url: server.url('postgres'), name })
  return async () => {
    await server.stop()
    removeScratch()
  }
}
