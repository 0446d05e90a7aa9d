import { spawnSync } from 'node:child_process'
import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ensureService } from '../../scripts/build-service.mjs'

// Holds (Package and images): npm start in a clone runs the sources as they are

const root = join(import.meta.dirname, '../..')

it('the service of a clone is built once, and again when a source has changed', () => {
  const main = ensureService()
  const { stdout } = spawnSync(process.execPath, [main, '--version'], { encoding: 'utf8' })
  expect(stdout.trim()).toBe(manifest.version)
  const builtAt = () => statSync(main).ino
  const first = builtAt()
  ensureService()
  expect(builtAt()).toBe(first)

  const source = join(root, 'src/index.ts')
  const { atime, mtime } = statSync(source)
  onTestFinished(() => utimesSync(source, atime, mtime))
  utimesSync(source, atime, new Date())
  ensureService()
  expect(builtAt()).not.toBe(first)
})
