import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { billOfMaterials } from './bill-of-materials.ts'
import { projectNames } from './docs.ts'

// `npm run release -- VERSION [--publish]`: sets the version, dates its part of the changelog, and makes release/: the tarball, its SBOM
// (CycloneDX) and their checksums. What changes more than this clone is printed; with `--publish` it is done, if npm knows its user.

const root = fileURLToPath(new URL('..', import.meta.url))
const release = join(root, 'release')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Besides the manifest, its lockfile and the API document: where the version stands for people and machines. */
const filesWithVersion = [
  'README.md',
  'docs/deploy.md',
  'server.json',
  ...globSync('{compose*,deploy/*/*}.yaml', { cwd: root }),
]

function run(program: string, parameters: readonly string[]): void {
  const { status, error } = spawnSync(program, parameters, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${parameters[0]} failed${error ? `: ${error.message}` : ''}`)
}

function outputOf(program: string, parameters: readonly string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const { status, stdout, stderr } = spawnSync(program, parameters, options)
  if (status !== 0) throw new Error(`${program} ${parameters[0]} failed: ${stderr}`)
  return stdout.trim()
}

const isClean = () => outputOf('git', ['status', '--porcelain']) === ''

/** The first version of the changelog: its number, and its day or "unreleased". */
const newestChange = () => /^## (\S+) \((.+)\)$/m.exec(read('CHANGELOG.md'))

/** @returns what stands in the way of a release, as sentences. */
function faultsOf(version: string): string[] {
  const faults: string[] = []
  if (!/^\d+\.\d+\.\d+$/.test(version)) faults.push('The version must be three numbers, such as 1.2.3.')
  if (newestChange()?.[1] !== version) faults.push(`CHANGELOG.md does not begin with "## ${version} (unreleased)".`)
  if (outputOf('git', ['branch', '--show-current']) !== 'main') faults.push('The branch is not main.')
  if (outputOf('git', ['tag', '--list', `v${version}`]) !== '') faults.push(`The tag v${version} exists already.`)
  if (!isClean()) faults.push('There are changes that are not committed.')
  for (const [name, value] of Object.entries(projectNames))
    if (name !== 'about' && /\bexample\b/.test(value))
      faults.push(`project.json: "${name}" is still the placeholder ${value}.`)
  return faults
}

/** Sets the version wherever it stands. */
function setVersion(version: string): void {
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(
    join(root, 'CHANGELOG.md'),
    read('CHANGELOG.md').replace(`## ${version} (unreleased)`, `## ${version} (${today})`),
  )
  const { version: former } = JSON.parse(read('package.json'))
  if (former === version) return
  const pattern = new RegExp(`(wishwell[:-]|version"?: "?)${former.replaceAll('.', '\\.')}\\b`, 'gi')
  for (const file of filesWithVersion) writeFileSync(join(root, file), read(file).replace(pattern, `$1${version}`))
  run('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'])
  run('npm', ['run', 'client'])
}

/** Makes the files of release/. @returns the path of the tarball. */
function makeFiles(version: string): string {
  rmSync(release, { recursive: true, force: true })
  mkdirSync(release)
  run('npm', ['pack', '--pack-destination', release])
  const whole = outputOf('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'])
  writeFileSync(join(release, `wishwell-${version}.cdx.json`), billOfMaterials(JSON.parse(whole), root))
  const sums = globSync('*', { cwd: release })
    .sort()
    .map((name) => {
      const sum = createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex')
      return `${sum}  ${name}\n`
    })
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''))
  return `release/wishwell-${version}.tgz`
}

/** What publishes a release, in an order in which a package never is on npm before its source is to be had. */
function publication(version: string, tarball: string): string[][] {
  const message = `Version ${version}`
  return [
    ...(isClean() ? [] : [['git', 'commit', '--all', '--message', message]]),
    ['git', 'tag', '--annotate', `v${version}`, '--message', message],
    ['git', 'push', '--atomic', 'origin', 'main', `v${version}`],
    ['npm', 'publish', tarball],
  ]
}

/** Does the steps, or says which remain. */
function publish(steps: readonly string[][], isAllowed: boolean): void {
  const commandLine = (step: readonly string[]) => step.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')
  let done = 0
  try {
    if (!isAllowed) return
    outputOf('npm', ['whoami', '--fetch-retries=0'])
    for (const [program = '', ...parameters] of steps) {
      run(program, parameters)
      done++
    }
  } finally {
    if (done < steps.length) console.log(['Not done:', ...steps.slice(done).map(commandLine)].join('\n  '))
    console.log(
      'By hand afterwards: attach the files of release/ to the tag; the images (docs/deploy.md); clients/python; mcp-publisher publish.',
    )
  }
}

const { values, positionals } = parseArgs({
  options: { publish: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [version = ''] = positionals
try {
  const faults = faultsOf(version)
  if (faults.length > 0) throw new Error(faults.join('\n  '))
  setVersion(version)
  publish(publication(version, makeFiles(version)), values.publish)
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
