import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PlatformSimulator, startPlatformSimulator } from '../../src/platform-simulator/simulator.ts'
import { findNodes, type Installation, installPackage, type NodeOnMachine, outputOf } from './installation.ts'

// The package as users have it: packed, installed into an empty folder by the npm of the machine, and run by its `npx`.

const { pinned, old } = findNodes()
if (old === null) console.log('The package is not tested with an old Node: this machine has none between 20 and 24.')

let installation: Installation
let simulator: PlatformSimulator
beforeAll(async () => {
  simulator = await startPlatformSimulator({ limits: 'none' })
  installation = await installPackage(old ?? pinned)
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
    expect(size).toBeLessThan(3_000_000)
    const allowed =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/[\w-]+\.(mjs|json)|dist\/detection\/weights\.bin|dist\/dashboard\/page\/.+|dist\/.+\.(js|d\.ts))$/
    expect(paths.filter((path) => !allowed.test(path))).toEqual([])
    const isSource = (path: string) => /(?<!\.d)\.[cm]?tsx?$|\.test\.|testing\.|\/recordings\./.test(path)
    expect(paths.filter(isSource)).toEqual([])
    const modules = paths.filter((path) => /^dist\/(?!dashboard\/page\/).*\.js$/.test(path))
    expect(modules.length).toBeGreaterThan(500)
    expect(modules.filter((path) => !paths.includes(path.replace(/\.js$/, '.d.ts')))).toEqual([])
  })

  it('has one page, whole', () => {
    const page = join(installation.packageFolder, 'dist/dashboard/page')
    const html = readFileSync(join(page, 'index.html'), 'utf8')
    const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThanOrEqual(3)
    for (const path of named) expect([path, existsSync(join(page, path))]).toEqual([path, true])
    // The scripts of earlier builds stay in a clone.
    expect(globSync('assets/main-*.js', { cwd: page }).length).toBe(1)
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
      export { address, version }
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
  it('starts the service in its own process, and stops it', async () => {
    const program = `
      import { startWishwell } from 'wishwell'
      const wishwell = await startWishwell({ settings: { PORT: '0', DATA_DIR: './own', LOG_LEVEL: 'warn' } })
      const answer = await fetch(wishwell.address + '/readyz')
      console.log(answer.status, wishwell.firstApiKey?.slice(0, 8))
      await wishwell.stop()
    `
    writeFileSync(join(installation.folder, 'program.mjs'), program)
    const output = await installation.run(pinned, ['node', 'program.mjs'])
    expect(output).toEqual({ exitCode: 0, stdout: '200 ww_live_\n', stderr: '' })
  }, 120_000)
})

const nodes: [string, NodeOnMachine | null][] = [
  ['an old Node', old],
  ['the pinned Node', pinned],
]

describe.each(nodes.flatMap(([name, node]) => (node === null ? [] : [[name, node] as const])))(
  'with %s',
  (name, node) => {
    const caches = () => join(installation.folder, `caches of ${name}`)
    /** The settings of the commands; nothing may be fetched besides a Node, so npm finds no registry later. */
    const own = (more: Record<string, string> = {}) => ({ XDG_CACHE_HOME: caches(), ...more })
    const noRegistry = () => ({ npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(caches(), 'empty') })
    const fetchedNodes = () => globSync('wishwell/node-*', { cwd: caches() })
    const wishwell = (...parameters: string[]) => ['npx', '--no', '--', 'wishwell', ...parameters]

    it('the first command fetches a Node only where the machine has an old one', async () => {
      const { exitCode, stdout, stderr } = await installation.run(node, wishwell('--version'), own())
      expect([exitCode, stdout.trim()]).toEqual([
        0,
        JSON.parse(readFileSync(join(installation.packageFolder, 'package.json'), 'utf8')).version,
      ])
      expect(/fetching Node/.test(stderr)).toBe(node === old)
      expect(fetchedNodes().length).toBe(node === old ? 1 : 0)
    }, 300_000)

    it('the service starts with its page, makes a first account, collects and searches', async () => {
      const settings = { ...simulator.environment, PLATFORMS: 'github,hackernews', DATA_DIR: `./data of ${name}` }
      const child = installation.start(
        node,
        wishwell(),
        own({ ...settings, ...noRegistry(), PORT: '0', LOG_LEVEL: 'warn' }),
      )
      onTestFinished(() => void child.kill('SIGTERM'))
      const ended = outputOf(child)
      let printed = ''
      child.stdout?.on('data', (chunk: string) => {
        printed += chunk
      })
      const output = Promise.race([ended.then((result) => expect.fail(JSON.stringify(result))), isReady(() => printed)])
      const [url = '', apiKey = ''] = await output
      const caller = own({ ...noRegistry(), WISHWELL_URL: url, WISHWELL_API_KEY: apiKey })

      const health = await installation.run(node, wishwell('healthcheck', '--json'), caller)
      expect([health.exitCode, JSON.parse(health.stdout)]).toMatchObject([
        0,
        { healthy: true, service: { search: 'bm25' } },
      ])
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      const [, script = ''] = /src="(\/assets\/main-[^"]+)"/.exec(await page.text()) ?? []
      const scripts = await fetch(url + script)
      expect([page.status, scripts.status, scripts.headers.get('content-type')]).toEqual([
        200,
        200,
        expect.stringContaining('javascript'),
      ])
      const collected = await installation.run(node, wishwell('scrape', 'dark mode', '--depth', '1', '--json'), caller)
      expect([collected.exitCode, JSON.parse(collected.stdout).data.status]).toEqual([0, 'completed'])
      const found = await installation.run(node, wishwell('search', 'dark', 'mode', '--json'), caller)
      expect(JSON.parse(found.stdout).data.results.length).toBeGreaterThan(0)

      child.kill('SIGTERM')
      const { stderr } = await ended
      expect(stderr.split('\n').filter((line) => /"level":(40|50|60)/.test(line))).toEqual([])
      await expect.poll(() => installation.run(node, wishwell('healthcheck'), caller)).toMatchObject({ exitCode: 1 })
      expect(fetchedNodes().length).toBe(node === old ? 1 : 0)
    }, 300_000)

    it('the demo collects and searches sample data', async () => {
      const { exitCode, stdout, stderr } = await installation.run(node, wishwell('demo', '--exit'), own(noRegistry()))
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('rror')])
      expect(stdout).toMatch(/new requests in the cache[\s\S]*Results 1 to 5[\s\S]*0 broke a limit[\s\S]*is removed/)
    }, 300_000)
  },
)

/** @returns the address and the first key of a service, once it has printed them. */
async function isReady(printed: () => string): Promise<string[]> {
  const pattern = /running at (\S+)[\s\S]*API key: +(\S+)[\s\S]*API: +\S+\n/
  await expect.poll(printed, { timeout: 120_000 }).toMatch(pattern)
  return pattern.exec(printed())?.slice(1) ?? []
}

describe.runIf(old !== null)('a Node that is fetched', () => {
  it('is refused when it is not the one that the package was tested with', async () => {
    const file = join(installation.packageFolder, 'bin/node-packages.json')
    const text = readFileSync(file, 'utf8')
    const caches = join(installation.folder, 'caches of a forgery')
    try {
      writeFileSync(file, text.replaceAll(/sha512-..../g, 'sha512-AAAA'))
      const { exitCode, stderr } = await installation.run(old!, ['npx', '--no', '--', 'wishwell', '--version'], {
        XDG_CACHE_HOME: caches,
      })
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/EINTEGRITY[\s\S]*npm could not fetch one/)])
      expect(globSync('wishwell/*node*', { cwd: caches, dot: true } as never)).toEqual([])
    } finally {
      writeFileSync(file, text)
    }
  }, 300_000)
})
