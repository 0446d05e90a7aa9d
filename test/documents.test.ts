import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { currentDocuments } from '../scripts/docs.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the documents', () => {
  it('are what the code makes of them (npm run docs)', () => {
    for (const { file, text } of currentDocuments()) expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('explain every dependency, and every version is exact', () => {
    const page = read('docs/dependencies.md')
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      expect(page).toContain(name.startsWith('@types/') ? '`@types/*`' : `\`${name}\``)
    }
  })

  it('name for each threat tests that exist', () => {
    const page = read('docs/security.md')
    const tests = [...page.matchAll(/\]\(\.\.\/((?:src|test)\/[\w./-]+)\)/g)].map(([, path]) => path ?? '')
    expect(new Set(tests).size).toBeGreaterThan(30)
    for (const path of tests) {
      expect(path).toMatch(/\.test\.ts$/)
      expect(() => read(path)).not.toThrow()
    }
    // Every line of its tables says which test would fail.
    const lines = page.split('\n').filter((line) => /^\| (?!(attack|mistake|---) \|)/.test(line))
    for (const line of lines) expect(line).toMatch(/test/)
  })

  it('name only files that exist', () => {
    for (const [, path] of read('ARCHITECTURE.md').matchAll(/`((?:src|test|bench)\/[\w./-]+\.ts)`/g)) {
      expect(() => read(path ?? '')).not.toThrow()
    }
  })
})
