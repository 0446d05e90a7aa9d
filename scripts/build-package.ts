import { copyFileSync, cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exchange, isPageStale } from './build-dashboard.mjs'
import { compileInto, runCompiler } from './build-service.mjs'

// `npm run build:package`, which `npm pack` runs first: makes dist/, the whole of the package besides the launcher. It has the code of src/, client/ and
// simulator/ as JavaScript, the declarations of what programs import, its other files, and the built page. Prints on stderr, because stdout is that of npm.

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const page = join(root, 'dashboard', 'dist')

/** In another directory first: a dist/ that exists is whole. */
const fresh = join(root, `.dist-${process.pid}`)

/** The types that the declarations of the client name: the compiler copies no declarations. */
function copyTypes(): void {
  copyFileSync(join(root, 'client', 'api.d.ts'), join(fresh, 'client', 'api.d.ts'))
}

/** Deletes the declarations that no program can name: of 758 those of what `exports` names are 7, and the others a tenth of the package. */
function keepNamedTypes(): void {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types?: string }>
  }
  const entries = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [types]))
  const kept = new Set<string>()
  const keep = (path: string): void => {
    if (kept.has(path)) return
    kept.add(path)
    const named = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)
    for (const [, name = ''] of named) keep(join(dirname(path), name.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')))
  }
  for (const entry of entries) keep(join(fresh, entry.replace(/^\.\/dist\//, '')))
  for (const path of globSync('**/*.d.ts', { cwd: fresh }).map((one) => join(fresh, one)))
    if (!kept.has(path)) rmSync(path)
}

/** The page of the present build only: a clone keeps the assets of earlier ones, for services that run. */
function copyPage(): void {
  if (!existsSync(join(page, 'index.html')) || isPageStale()) throw new Error('the page is not built')
  const { builds } = JSON.parse(readFileSync(join(page, '.sources'), 'utf8')) as { builds: string[][] }
  const present = new Set(builds[0])
  cpSync(page, join(fresh, 'src', 'http', 'dashboard', 'page'), {
    recursive: true,
    filter: (source) => {
      const [folder, name] = source.slice(page.length + 1).split(sep)
      // What is compressed is unpacked for callers that read no compression.
      if (existsSync(`${source}.gz`)) return false
      if (folder === 'assets' && name !== undefined) return present.has(name)
      return folder === undefined || !folder.startsWith('.')
    },
  })
}

try {
  compileInto(fresh)
  // This run checks the types, and keeps the comments that an editor shows.
  runCompiler(fresh, ['--emitDeclarationOnly'])
  copyTypes()
  keepNamedTypes()
  copyPage()
  exchange(fresh, dist)
  console.error('The package is built: dist')
} catch (error) {
  console.error(`build-package: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(fresh, { recursive: true, force: true })
}
