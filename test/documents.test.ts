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

  it('name only files that exist', () => {
    for (const [, path] of read('ARCHITECTURE.md').matchAll(/`((?:src|test|bench)\/[\w./-]+\.ts)`/g)) {
      expect(() => read(path ?? '')).not.toThrow()
    }
  })
})
