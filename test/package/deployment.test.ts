import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { environmentSchema } from '../../src/app/config.ts'

// Holds (Package and images): deployments set only existing variables and run nothing as root

// No container engine runs here: what can be said of the files without one.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const files = [
  'Dockerfile',
  'compose.yaml',
  'compose.postgres.yaml',
  'deploy/helm/templates/processes.yaml',
  'deploy/helm/values.yaml',
]

/** What the files set besides settings of Wishwell. */
const ofOthers = /^(NODE_ENV|MALLOC_\w+|POSTGRES_\w+)$/
/** In the three forms of the files: a line of ENV, a key of compose, an item of Kubernetes. */
const variable = /(?:^ENV |^ {2}|^ {4,6})([A-Z][A-Z_]+)(?:=|: )|name: ([A-Z][A-Z_]+),/gm

describe('the files of deployments', () => {
  it.each(files)('%s sets only variables that exist', (file) => {
    const names = [...read(file).matchAll(variable)].map(([, line, item]) => line ?? item ?? '')
    const settings = names.filter((name) => !ofOthers.test(name))
    expect(settings.length).toBeGreaterThan(1)
    expect(settings.filter((name) => !Object.hasOwn(environmentSchema.properties, name))).toEqual([])
  })

  it('give every process on one Postgres the address of links and the key of channels', () => {
    const [, shared = ''] = /^x-process: ([\s\S]*?)\nservices:/m.exec(read('compose.postgres.yaml')) ?? []
    for (const name of ['PUBLIC_URL', 'SECRETS_KEY']) expect(shared).toMatch(new RegExp(`^ {4}${name}: `, 'm'))
  })

  it('build and run on the Node that the tests run on', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (?:--platform=\S+ )?node:([\d.]+)-/gm)].map(
      ([, version]) => version,
    )
    expect(images).toEqual([manifest.devDependencies.node, manifest.devDependencies.node])
  })

  it('name the image by the version of the package', () => {
    const named = files.flatMap((file) => [...read(file).matchAll(/image: \S*wishwell:(\S+)/g)].map(([, tag]) => tag))
    const chart = [...read('deploy/helm/Chart.yaml').matchAll(/^(?:appVersion|version): (.+)$/gm)].map(([, tag]) => tag)
    expect([named.length, chart.length]).toEqual([2, 2])
    for (const tag of [...named, ...chart]) expect(tag).toBe(manifest.version)
  })

  it('start no process as root or with a root that can be written', () => {
    expect(read('Dockerfile')).toMatch(/^USER 1000:1000$/m)
    const chart = read('deploy/helm/templates/processes.yaml')
    expect(chart.match(/image: /g)).toHaveLength(1)
    for (const promise of ['runAsNonRoot', 'readOnlyRootFilesystem']) expect(chart).toContain(`${promise}: true`)
    for (const promise of ['allowPrivilegeEscalation: false', 'drop: [ALL]']) expect(chart).toContain(promise)
  })

  it('start a file that the build makes', () => {
    const started = [...read('Dockerfile').matchAll(/"\/app\/dist\/(\S+)\.js"/g)].map(([, path]) => `${path}.ts`)
    expect(started).toHaveLength(2)
    for (const path of started) expect([path, existsSync(join(root, path))]).toEqual([path, true])
  })

  it('leave nothing out of the image that its build reads', () => {
    const ignored = read('.dockerignore').split('\n')
    for (const path of [
      'src',
      'simulator',
      'dashboard',
      'client',
      'scripts',
      'bin',
      'package-lock.json',
      'tsconfig.build.json',
      ...manifest.files,
    ])
      expect(ignored.filter((line) => line === path && path !== 'dist')).toEqual([])
  })
})
