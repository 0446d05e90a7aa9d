import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openStore } from '../src/requests/search/local/store.ts'
import './search.ts'

/** Makes the search index that those of the tests are copies of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = mkdtempSync(join(tmpdir(), 'wishwell-index-template-'))
  await (await openStore(template, () => {})).close()
  project.provide('searchIndexTemplate', template)
  return async () => rmSync(template, { recursive: true, force: true })
}
