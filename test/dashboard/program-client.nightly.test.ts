import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { startTestService } from '../service.ts'
import { chromiumFlags, chromiumPath } from './chromium.ts'

// Holds (HTTP and secrets): the client for programs collects, waits and reads every page in a browser

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a page of somebody's own does with it, in the browser. */
const programOf = (apiKey: string) => `
  import { createClient, WishwellError } from '${root}client/client.ts'
  const client = createClient({ url: location.origin, apiKey: '${apiKey}' })
  const states = []
  const onProgress = ({ status }) => states.push(status)
  const job = await client.scrapeAndWait({ topic: 'dark mode', platforms: ['github'], depth: 2 }, { onProgress, pollMs: 50 })
  const titles = []
  for await (const page of client.pages('/api/v1/requests', { query: { jobId: job.jobId, limit: 1 } })) titles.push(page.results[0].title)
  const refused = await client.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId: 'none' } } }).catch((error) => error)
  window.outcome = { last: states.at(-1), titles: titles.toSorted(), code: refused.code, isOwn: refused instanceof WishwellError }
`

async function bundle(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const entry = join(folder, 'program.ts')
  writeFileSync(entry, program)
  const lib = { entry, formats: ['es' as const] }
  const options = {
    root,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2024', lib },
  } as const
  const [built] = (await build(options)) as Rolldown.RolldownOutput[]
  return built!.output[0].code
}

it('is used by a page', async () => {
  const service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(2))) })
  onTestFinished(() => service.stop())
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: chromiumFlags })
  onTestFinished(() => browser.close())
  // The policy of our pages allows no script but theirs.
  const page = await browser.newPage({ bypassCSP: true })
  await page.goto(`${service.url}/docs/errors/NOT_FOUND`)
  await page.addScriptTag({ type: 'module', content: await bundle(programOf(service.apiKey)) })
  const outcome = await page.waitForFunction('window.outcome')
  expect(await outcome.jsonValue()).toEqual({
    last: 'completed',
    titles: ['Request 0-0', 'Request 0-1', 'Request 1-0', 'Request 1-1'],
    code: 'NOT_FOUND',
    isOwn: true,
  })
})
