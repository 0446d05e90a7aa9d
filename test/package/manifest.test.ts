import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCacheDirectory } from '../../bin/cache-directory.mjs'
import { readClientConfig } from '../../src/cli/client-config.ts'
import { createProgram } from '../../src/cli/program.ts'

// Holds (Package and images): the package depends on exactly what the product imports, at pinned versions

// What can be said of the package without building it. installed.nightly.test.ts builds, installs and runs it.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const { dependencies, devDependencies } = manifest as Record<string, Record<string, string>>

/** As the rules of imports tell tests from the product, and as the compiler leaves them out. */
const isTest = (path: string) => /(\.test|(^|\/)testing|\/recordings|-testing)\.ts$/.test(path)
const product = globSync('{src,simulator}/**/*.ts', { cwd: root }).filter((path) => !isTest(path))

/** The packages that a file imports when it runs. */
function packagesOf(path: string): string[] {
  const statements = read(path).matchAll(/^(?:import|export) (?!type )[^'\n]*?(?:\n[^'\n]*)*?from '([^'.][^']*)'/gm)
  const dynamic = read(path).matchAll(/\bimport\('([^'.][^']*)'\)/g)
  const names = [...statements, ...dynamic].map(([, name = '']) => name)
  return names
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
}

describe('the manifest', () => {
  it('names files that exist, or that the build makes of a file that exists', () => {
    const targets = [manifest.bin.wishwell, ...Object.values(manifest.exports).flat()].flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target as Record<string, string>),
    )
    expect(targets.length).toBeGreaterThanOrEqual(4)
    for (const target of targets) {
      const source = target.replace(/^\.\/dist\/(.*?)(\.d\.ts|\.js)$/, '$1.ts')
      expect([target, existsSync(join(root, source))]).toEqual([target, true])
    }
    for (const name of manifest.files)
      expect([name, globSync(name, { cwd: root }).length > 0 || name === 'dist']).toEqual([name, true])
    expect(read(manifest.bin.wishwell).startsWith('#!/usr/bin/env node\n')).toBe(true)
    expect(statSync(join(root, manifest.bin.wishwell)).mode & 0o111).not.toBe(0)
  })

  it('can be published, and pins every version', () => {
    expect(manifest.private).toBeUndefined()
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/)
    for (const version of Object.values({ ...dependencies, ...devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  })

  it('has exactly the dependencies that the product imports', () => {
    const imported = new Set(product.flatMap(packagesOf))
    // Postgres' extension is loaded by PGlite from the package of its name.
    const missing = [...imported].filter((name) => dependencies?.[name] === undefined)
    expect(missing).toEqual([])
    const unused = Object.keys(dependencies ?? {}).filter((name) => !imported.has(name))
    expect(unused).toEqual([])
  })

  it('needs a Node of the major version that the clone is tested with', () => {
    expect(manifest.engines.node).toBe(`>=${devDependencies?.node?.split('.')[0]}`)
  })
})

describe('the manifest for the registry of MCP', () => {
  const server = JSON.parse(read('server.json'))

  it('is of this version of the package, and npm can tell that both have one owner', () => {
    const [entry] = server.packages
    expect([server.name, server.version]).toEqual([manifest.mcpName, manifest.version])
    expect(entry).toMatchObject({ registryType: 'npm', identifier: manifest.name, version: manifest.version })
    // What the registry refuses, by its schema.
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    expect(server.description.length).toBeLessThanOrEqual(100)
  })

  it('starts a command that exists, with variables that it reads', async () => {
    const [{ packageArguments, environmentVariables }] = server.packages
    const names = packageArguments.map(({ value }: { value: string }) => value)
    const [command] = (await createProgram(names)).commands.filter((one) => one.name() === names[0])
    expect(command?.args).toEqual([])
    const [address, key] = environmentVariables as { name: string; default?: string }[]
    const environment = { [address!.name]: 'http://wishwell.example', [key!.name]: 'ww_live_key' }
    expect(readClientConfig(environment)).toMatchObject({ url: 'http://wishwell.example', apiKey: 'ww_live_key' })
    expect(readClientConfig({ [key!.name]: 'ww_live_key' }).url).toBe(address?.default)
  })
})

describe('the sources', () => {
  it('start no thread and no process by the name of a TypeScript file, which the compiler would not rewrite', () => {
    const lines = product.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => /\.ts['"`]/.test(line) && !/^\s*(\/?\*|\/\/)|from '|import\('/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(lines.filter((line) => !line.startsWith('src/runtime/module-file.ts'))).toEqual([])
  })

  it('of the launcher import nothing but Node and each other: an installed package has nothing else there', () => {
    for (const path of globSync('bin/*.mjs', { cwd: root }))
      for (const [, name = ''] of read(path).matchAll(/from '([^']+)'/g))
        expect(name).toMatch(/^node:|^\.\/[\w-]+\.mjs$/)
  })
})

describe('the launcher of an installed package', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'wishwell-cache-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  it('has its cache where the system has those of the user', () => {
    const home = folder()
    const open = (platform: string, environment = {}) => openCacheDirectory({ platform, environment, home })
    expect(open('linux')).toBe(join(home, '.cache/wishwell'))
    expect(open('darwin')).toBe(join(home, 'Library/Caches/wishwell'))
    expect(open('linux', { XDG_CACHE_HOME: join(home, 'elsewhere') })).toBe(join(home, 'elsewhere/wishwell'))
    expect(open('linux', { XDG_CACHE_HOME: 'relative' })).toBe(join(home, '.cache/wishwell'))
    expect(statSync(join(home, '.cache/wishwell')).mode & 0o777).toBe(0o700)
  })

  it('uses no cache that another user can write, and none that cannot be made', () => {
    const home = folder()
    const open = () => openCacheDirectory({ platform: 'linux', environment: {}, home })
    chmodSync(open() ?? '', 0o770)
    expect(open()).toBeNull()
    expect(openCacheDirectory({ platform: 'linux', environment: {}, home: '/dev/null' })).toBeNull()
  })
})
