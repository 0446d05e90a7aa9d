import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Where test files are, relative to the repository. */
const testGlobs = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts']
/** Static imports and re-exports of files of the repository; what only a type is imported from is none at run time. */
const relativeImport =
  /^(?:import|export)\s(?!type\s)[^'"]*?from\s*'(\.{1,2}\/[^']+\.ts)'|^import\s*'(\.{1,2}\/[^']+\.ts)'/gm

const importsOfFile = new Map<string, string[]>()

function importsOf(file: string): string[] {
  const known = importsOfFile.get(file)
  if (known) return known
  const text = readFileSync(join(root, file), 'utf8')
  const imports = [...text.matchAll(relativeImport)].map(([, from, bare]) => join(dirname(file), from ?? bare ?? ''))
  importsOfFile.set(file, imports)
  return imports
}

/** Whether a file imports another one, itself or through what it imports. Paths are relative to the repository. */
function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  return importsOf(file).some((imported) => {
    if (imported === target) return true
    if (seen.has(imported)) return false
    seen.add(imported)
    return reaches(imported, target, seen)
  })
}

const testFiles = globSync(testGlobs, { cwd: root }).sort()

/** The test files that open a database, and so run on every backend: they import `test/database.ts`. */
export const databaseTests: readonly string[] = testFiles.filter((file) => reaches(file, 'test/database.ts'))

/** All other test files: they run once. */
export const plainTests: readonly string[] = testFiles.filter((file) => !databaseTests.includes(file))

/** The test files that `npm run test:long` runs with more rounds: they import `test/campaign-size.ts`. */
export const campaignTests: readonly string[] = testFiles.filter((file) => reaches(file, 'test/campaign-size.ts'))
