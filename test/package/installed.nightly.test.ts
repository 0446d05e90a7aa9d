import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import { findNodes, type Installation, installPackage, outputOf } from './installation.ts'

// Holds (Package and images): the package runs in an empty folder without clone, compiler, lockfile or downloads; an old Node gets the required version
// Holds (Package and images): the package has no tests or sources, is under 2.7 MB, and has valid declarations

// The package as users have it: packed, installed into an empty folder by the npm of the machine, and run by its `npx`.

const { pinned, old } = findNodes()
if (old === null) console.log('The package is not tested with an old Node: this machine has none between 20 and 24.')

let installation: Installation
let simulator: PlatformSimulator
beforeAll(async () => {
  simulator = await startPlatformSimulator({ limits: 'none' })
  installation = await installPackage(pinned)
}, 600_000)
afterAll(async () => {
  await simulator?.stop()
  installation?.remove()
})

describe('the tarball', () => {
  it('is small, and has the compiled code, the page, the launcher and no sources or tests', () => {
    const { size, files } = installation.packed
    const paths = files.map(({ path }) => path)
    console.log(`the package: ${(size / 1e6).toFixed(2)} MB, ${paths.length} files`)
    expect(size).toBeLessThan(2_700_000)
    const allowed =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/[\w-]+\.mjs|dist\/src\/requests\/detection\/weights\.bin|dist\/src\/cli\/synonyms\.txt|dist\/src\/database\/schema\/[\w-]+\.sql|dist\/src\/http\/dashboard\/page\/.+|dist\/(src|simulator)\/.+\.json|dist\/.+\.js|dist\/(src|client)\/[\w/-]+\.d\.ts)$/
    expect(paths.filter((path) => !allowed.test(path))).toEqual([])
    const isSource = (path: string) => /(?<!\.d)\.[cm]?tsx?$|\.test\.|testing\.|\/recordings\./.test(path)
    expect(paths.filter(isSource)).toEqual([])
    const modules = paths.filter((path) => /^dist\/(?!src\/http\/dashboard\/page\/).*\.js$/.test(path))
    expect(modules.length).toBeGreaterThan(500)
  })

  it('has one page, whole', () => {
    const page = join(installation.packageFolder, 'dist/src/http/dashboard/page')
    const html = readFileSync(join(page, 'index.html'), 'utf8')
    const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThanOrEqual(3)
    // What is compressed has no plain form.
    const scripts = globSync('**/*.{js,css}{,.gz}', { cwd: page })
    const names = scripts.map((path) => path.replace(/\.gz$/, ''))
    const isThere = (path: string) => names.includes(path) || existsSync(join(page, path))
    expect(named.filter((path) => !isThere(path))).toEqual([])
    expect(names.length).toBe(new Set(names).size)
    for (const path of scripts) {
      const bytes = readFileSync(join(page, path))
      const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
      expect([path, text.includes('# sourceMappingURL=')]).toEqual([path, false])
    }
    // The scripts of earlier builds stay in a clone.
    for (const name of ['main', 'app'])
      expect(names.filter((path) => path.startsWith(`assets/${name}-`))).toHaveLength(1)
  })

  it('brings nothing that only the build needs', () => {
    for (const name of ['vite', 'react', 'typescript', 'node', 'vitest'])
      expect([name, existsSync(join(installation.folder, 'node_modules', name))]).toEqual([name, false])
  })
})

describe('declarations', () => {
  const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  const compile = (...settings: string[]) =>
    installation.run(pinned, [
      'node',
      compiler,
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      ...settings,
      'consumer.ts',
    ])

  it('are valid for a program that imports the package, in both ways of resolving', async () => {
    const program = `
      import { startWishwell, version, type Wishwell } from 'wishwell'
      const wishwell: Wishwell = await startWishwell({ settings: { PORT: '0' } })
      const address: string | null = wishwell.address
      // @ts-expect-error: settings are text
      await startWishwell({ settings: { PORT: 0 } })
      // @ts-expect-error: there is no such function
      wishwell.restart()
      import { createClient, WishwellError } from 'wishwell/client'
      const client = createClient({ url: 'http://localhost:4680' })
      for await (const page of client.pages('/api/v1/wishes', { query: { limit: 1 } })) page.results[0]?.wishId.length
      // @ts-expect-error: no list of wishes has this parameter
      client.pages('/api/v1/wishes', { query: { limits: 1 } })
      // @ts-expect-error: usage has no pages
      client.pages('/api/v1/usage')
      export { address, version, WishwellError }
    `
    writeFileSync(join(installation.folder, 'consumer.ts'), program)
    writeFileSync(join(installation.folder, 'package.json'), JSON.stringify({ type: 'module' }))
    const asNode = ['--module', 'nodenext', '--types', '']
    const asBundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', '']
    for (const settings of [asNode, asBundler])
      expect(await compile(...settings)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })
})

describe('a program that imports the package', () => {
  it('starts the service in its own process, calls it with the client, and stops it', async () => {
    const program = `
      import { startWishwell } from 'wishwell'
      import { createClient } from 'wishwell/client'
      const wishwell = await startWishwell({ settings: { PORT: '0', DATA_DIR: './own', LOG_LEVEL: 'warn' } })
      const client = createClient({ url: wishwell.address, apiKey: wishwell.firstApiKey })
      const { response } = await client.GET('/api/v1/platforms')
      console.log(response.status, wishwell.firstApiKey?.slice(0, 8))
      await wishwell.stop()
    `
    writeFileSync(join(installation.folder, 'program.mjs'), program)
    const output = await installation.run(pinned, ['node', 'program.mjs'])
    expect(output).toEqual({ exitCode: 0, stdout: '200 ww_live_\n', stderr: '' })
  }, 120_000)
})

describe('an installed package', () => {
  const wishwell = (...parameters: string[]) => ['npx', '--no', '--', 'wishwell', ...parameters]
  /** The settings of the commands; nothing may be fetched, so npm finds no registry. */
  const own = (more: Record<string, string> = {}) => {
    const caches = join(installation.folder, 'caches')
    const noRegistry = { npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(caches, 'empty') }
    return { XDG_CACHE_HOME: caches, ...noRegistry, ...more }
  }

  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(join(installation.packageFolder, 'package.json'), 'utf8'))
    const output = await installation.run(pinned, wishwell('--version'), own())
    expect(output).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
  }, 120_000)

  it.runIf(old !== null)(
    'under an old Node says in one sentence which one it needs',
    async () => {
      const { exitCode, stdout, stderr } = await installation.run(old!, wishwell('--version'), own())
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^wishwell: Node 24 or later is needed, and this is Node 2[0-3]\..*https:\/\/nodejs\.org.*\.\n$/,
      )
    },
    120_000,
  )

  it('starts the service with its page, makes a first account, collects and searches', async () => {
    const settings = { ...simulator.environment, PLATFORMS: 'github,hackernews', DATA_DIR: './data' }
    const child = installation.start(pinned, wishwell(), own({ ...settings, PORT: '0', LOG_LEVEL: 'warn' }))
    onTestFinished(() => void child.kill('SIGTERM'))
    const ended = outputOf(child)
    let printed = ''
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk
    })
    const output = Promise.race([ended.then((result) => expect.fail(JSON.stringify(result))), isReady(() => printed)])
    const [url = '', apiKey = ''] = await output
    const caller = own({ WISHWELL_URL: url, WISHWELL_API_KEY: apiKey })

    const health = await installation.run(pinned, wishwell('admin', 'healthcheck', '--json'), caller)
    expect([health.exitCode, JSON.parse(health.stdout)]).toMatchObject([
      0,
      { healthy: true, service: { search: 'bm25' } },
    ])
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    const [, script = ''] = /src="(\/assets\/app-[^"]+)"/.exec(await page.text()) ?? []
    const scripts = await fetch(url + script)
    expect([page.status, scripts.status, scripts.headers.get('content-type')]).toEqual([
      200,
      200,
      expect.stringContaining('javascript'),
    ])
    const collected = await installation.run(pinned, wishwell('scrape', 'dark mode', '--depth', '1', '--json'), caller)
    expect([collected.exitCode, JSON.parse(collected.stdout).data.status]).toEqual([0, 'completed'])
    const found = await installation.run(pinned, wishwell('search', 'dark', 'mode', '--json'), caller)
    expect(JSON.parse(found.stdout).data.results.length).toBeGreaterThan(0)

    child.kill('SIGTERM')
    const { stderr } = await ended
    expect(stderr.split('\n').filter((line) => /"level":(40|50|60)/.test(line))).toEqual([])
    await expect
      .poll(() => installation.run(pinned, wishwell('admin', 'healthcheck'), caller))
      .toMatchObject({ exitCode: 1 })
  }, 300_000)

  it('has a demo that collects and searches sample data', async () => {
    const { exitCode, stdout, stderr } = await installation.run(pinned, wishwell('demo', '--exit'), own())
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('rror')])
    expect(stdout).toMatch(/new requests in the cache[\s\S]*Results 1 to 5[\s\S]*0 broke a limit[\s\S]*is removed/)
  }, 300_000)
})

/** @returns the address and the first key of a service, once it has printed them. */
async function isReady(printed: () => string): Promise<string[]> {
  const pattern = /running at (\S+)[\s\S]*API key: +(\S+)[\s\S]*docs: +\S+\n/
  await expect.poll(printed, { timeout: 120_000 }).toMatch(pattern)
  return pattern.exec(printed())?.slice(1) ?? []
}
