import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Holds (Package and images): a release has an installable tarball, a complete SBOM and valid checksums; without a registry nothing leaves the machine

// `npm run release` in a copy of this clone, of which it makes another version. It installs, compiles and builds: minutes.

const root = fileURLToPath(new URL('../..', import.meta.url))
const version = '7.8.9'
const base = mkdtempSync(join(tmpdir(), 'wishwell-release-'))
const copy = join(base, 'copy')
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }))

/** Not of the npm that runs the tests, whose variables configure another. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cafile|registry|cache)$)/i.test(name)),
)
// No registry is there: nothing can be published by a test.
const offline = { ...environment, npm_config_registry: 'http://127.0.0.1:9' }

function run(program: string, parameters: string[], { cwd = copy, env = environment as NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd, env, encoding: 'utf8' })
  return { exitCode: status, stdout, stderr }
}

const git = (...parameters: string[]) =>
  run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@wishwell.example', ...parameters])
const read = (path: string) => readFileSync(join(copy, path), 'utf8')
let placeholders: string

/** The files of this clone as they are, also those that are not committed yet, as the only commit of a repository. */
beforeAll(() => {
  const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root }).stdout
  for (const file of files.trim().split('\n')) cpSync(join(root, file), join(copy, file))
  const names = read('project.json')
  placeholders = names
  writeFileSync(join(copy, 'project.json'), names.replaceAll('example', 'invalid'))
  writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n## ${version} (unreleased)\n\nEverything.\n`)
  for (const parameters of [
    ['init', '--initial-branch=main'],
    ['add', '--all'],
    ['commit', '--message=All'],
  ])
    expect(git(...parameters)).toMatchObject({ exitCode: 0 })
})

describe('a release', () => {
  it('is refused where the changelog, the branch or a change that is not committed stands in its way', () => {
    writeFileSync(join(copy, 'README.md'), 'changed')
    git('switch', '--create', 'other')
    const { exitCode, stderr } = run('npm', ['run', 'release', '--', '1.1.1'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/begin with "## 1\.1\.1 \(unreleased\)"[\s\S]*not main[\s\S]*not committed/)
    git('restore', '.')
    git('switch', 'main')
    writeFileSync(join(copy, 'project.json'), placeholders)
    expect(run('npm', ['run', 'release', '--', version]).stderr).toContain(
      'project.json: "image" is still the placeholder registry.example/wishwell.',
    )
    git('restore', '.')
  })

  it('sets the version wherever it stands, and says what would publish it', () => {
    const { exitCode, stdout, stderr } = run('npm', ['run', 'release', '--', version])
    expect([exitCode, stderr]).toEqual([0, expect.anything()])
    const steps = ['git commit', 'git tag', 'git push', `npm publish release/wishwell-${version}.tgz`]
    expect(stdout.slice(stdout.indexOf('Not done:'))).toMatch(new RegExp(steps.join('[\\s\\S]*')))
    expect(git('rev-list', '--count', '--all').stdout.trim()).toBe('1')
    expect(git('tag').stdout).toBe('')

    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'))
    const former = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
    const places = `wishwell[:-]${former}|version"?: "?${former}`
    const left = git('grep', '-IE', places.replaceAll('.', '\\.'), ':!openapi', ':!package-lock.json')
    expect(left.stdout).toBe('')
    for (const file of ['package.json', 'package-lock.json', 'server.json'])
      expect([file, JSON.parse(read(file)).version]).toEqual([file, version])
    expect(run('npm', ['run', 'client', '--', '--check'])).toMatchObject({ exitCode: 0 })
  })

  it('has checksums that agree, and a tarball that installs and says its version', () => {
    const release = join(copy, 'release')
    expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release }).stdout).toBe(
      `wishwell-${version}.cdx.json: OK\nwishwell-${version}.tgz: OK\n`,
    )
    const prefix = ['--prefix', join(base, 'installed')]
    const installing = run('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      ...prefix,
      join(release, `wishwell-${version}.tgz`),
    ])
    expect(installing).toMatchObject({ exitCode: 0 })
    const command = join(base, 'installed/node_modules/.bin/wishwell')
    expect(run(command, ['--version']).stdout).toBe(`${version}\n`)
  })

  it('has an SBOM of each package that is installed or in the page, and of none that only the development needs', () => {
    const bom = JSON.parse(read(`release/wishwell-${version}.cdx.json`))
    expect([bom.bomFormat, bom.metadata.component.name, bom.metadata.component.version]).toEqual([
      'CycloneDX',
      'wishwell',
      version,
    ])
    const named = new Set(bom.components.map((component: { purl: string }) => decodeURIComponent(component.purl)))
    const lockfile = JSON.parse(read('package-lock.json')).packages as Record<
      string,
      { version: string; dev?: boolean }
    >
    const installed = Object.entries(lockfile).filter(([path, { dev }]) => path !== '' && !dev)
    expect(installed.length).toBeGreaterThan(100)
    for (const [path, entry] of installed)
      expect(named).toContain(`pkg:npm/${path.split('node_modules/').at(-1)}@${entry.version}`)
    const names = bom.components.map(({ name, group }: { name: string; group?: string }) =>
      group ? `${group}/${name}` : name,
    )
    expect(names).toEqual(expect.arrayContaining(['react', 'react-dom', 'scheduler', '@scalar/fastify-api-reference']))
    for (const name of ['vitest', 'typescript', 'vite']) expect(names).not.toContain(name)
  })

  it('is not published without a registry: nothing is tagged, and what was not done is said', () => {
    git('commit', '--all', '--message=Released by hand')
    const { exitCode, stdout, stderr } = run('npm', ['run', 'release', '--', version, '--publish'], { env: offline })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('release: npm whoami failed')])
    expect(stdout).toMatch(/Not done:\n {2}git tag [\s\S]*npm publish/)
    expect(git('tag').stdout).toBe('')
  })
})
