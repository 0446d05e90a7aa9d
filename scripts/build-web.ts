import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// `npm run build:web`: builds the page into web/dist. With `--if-stale` only when it is missing or older than its sources.

const folder = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** What the page is made of: its own files, the types and figures that it takes from the service, its dependencies. */
const sources = ['web/index.html', 'web/vite.config.ts', 'web/src', 'src/credits/plans.ts', 'package-lock.json']

const newestOf = (path: string): number => {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(...readdirSync(path).map((name) => newestOf(`${path}/${name}`)))
}

/** Whether web/dist is missing or older than one of its sources. */
export function isPageStale(): boolean {
  const built = folder('web/dist/index.html')
  if (!existsSync(built)) return true
  const builtAt = statSync(built).mtimeMs
  return sources.some((source) => newestOf(folder(source)) > builtAt)
}

/** Builds the page into web/dist, in this process. @throws when it cannot be built. */
export async function buildPage(): Promise<void> {
  // Only here: vite takes a while to load, and a service whose page is up to date does without it.
  const { build } = await import('vite')
  await build({ configFile: folder('web/vite.config.ts'), logLevel: 'warn' })
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false } } })
  if (!values['if-stale'] || isPageStale()) {
    await buildPage()
    console.log('The page is built: web/dist')
  }
}
