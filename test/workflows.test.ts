import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateWorkflow } from '@action-validator/core'
import { describe, expect, it } from 'vitest'
import { nightlyParts } from './nightly.ts'

const root = join(import.meta.dirname, '..')
const workflows = globSync('.github/workflows/*.yml', { cwd: root })
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('the workflows', () => {
  it.each(workflows)('%s has the form of a workflow', (path) => {
    expect(validateWorkflow(read(path)).errors).toEqual([])
    expect(validateWorkflow(read(path).replace('runs-on:', 'run-on:')).errors).not.toEqual([])
  })

  it('the nightly one runs every part of the nightly tests', () => {
    const text = read('.github/workflows/nightly.yml')
    const parts = [.../matrix:\n\s+part:\n((?:\s+- .+\n)+)/.exec(text)![1]!.matchAll(/- (.+)/g)].map(([, part]) => part)
    expect(parts).toEqual(Object.keys(nightlyParts))
  })

  it('run what this repository has', () => {
    const { scripts } = JSON.parse(read('package.json'))
    for (const path of workflows) {
      const runs = [...read(path).matchAll(/npm run (\S+)/g)].map(([, name = '']) => name)
      expect(runs.filter((name) => scripts[name] === undefined)).toEqual([])
    }
    expect(read('.github/workflows/ci.yml')).toContain('run: .ci/run')
  })
})
