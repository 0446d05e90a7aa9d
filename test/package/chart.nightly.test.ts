import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'

// Holds (Package and images): the Helm chart renders, and the service starts with each process's settings

const chart = fileURLToPath(new URL('../../deploy/helm', import.meta.url))
const helm = (...parameters: string[]) => {
  const { status, stdout, stderr } = spawnSync('helm', parameters, { encoding: 'utf8' })
  return { exitCode: status, stdout, stderr }
}
const hasHelm = helm('version').exitCode === 0
if (!hasHelm) console.log('The chart is not rendered: there is no helm (go install helm.sh/helm/v4/cmd/helm@v4.3.1).')

/** A mounted Secret. */
const secrets = {
  DATABASE_URL: 'postgres://wishwell:secret@postgres:5432/wishwell',
  ADMIN_API_KEY: 'a'.repeat(48),
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  GITHUB_TOKEN: 'ghp_token',
}
const folder = mkdtempSync(join(tmpdir(), 'wishwell-chart-'))
for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const withKeys = (...keys: string[]) => ['--set', `secret.keys={${keys.join(',')}}`]
const forms = { embedded: withKeys('GITHUB_TOKEN'), postgres: withKeys(...Object.keys(secrets)) }

/** The rendered manifests, by kind and name. */
function render(parameters: string[]): Record<string, string> {
  const { exitCode, stdout, stderr } = helm('template', 'wishes', chart, ...parameters)
  expect([exitCode, stderr]).toEqual([0, ''])
  const documents = stdout.split(/^---$/m).filter((text) => text.includes('kind:'))
  const value = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]
  return Object.fromEntries(
    documents.map((text) => [`${value(text, /^kind: (\S+)/m)} ${value(text, /^ {2}name: (\S+)/m)}`, text]),
  )
}

/** The environment of the processes of a manifest, with the address that the image sets, and the secrets where this test has them. */
const environmentOf = (manifest = '') => ({
  HOST: '0.0.0.0',
  ...Object.fromEntries(
    [...manifest.matchAll(/- \{ name: ([A-Z_]+), value: ['"]?(.*?)['"]? \}/g)].map(([, name, value]) => [
      name,
      value?.replace('/run/secrets/wishwell', folder),
    ]),
  ),
})

describe.skipIf(!hasHelm)('the chart', () => {
  it.each(Object.entries(forms))('has no fault that helm finds: %s', (_form, parameters) => {
    expect(helm('lint', '--strict', chart, ...parameters)).toMatchObject({ exitCode: 0 })
  })

  it('has one process with a volume, without a Postgres', () => {
    const manifests = render(forms.embedded)
    expect(Object.keys(manifests).sort()).toEqual(['Service wishes', 'StatefulSet wishes'])
    const process = manifests['StatefulSet wishes']
    expect(process).toMatch(/^ {2}replicas: 1$[\s\S]*path: \/healthz[\s\S]*path: \/readyz[\s\S]*volumeClaimTemplates:/m)
    const { role, databaseUrl } = readConfig(environmentOf(process))
    expect([role, databaseUrl]).toEqual(['all', undefined])
  })

  it('has processes that answer and processes that collect, on a Postgres', () => {
    const manifests = render(forms.postgres)
    const names = [
      'Deployment wishes-api',
      'Deployment wishes-worker',
      'PodDisruptionBudget wishes-api',
      'Service wishes',
    ]
    expect(Object.keys(manifests).sort()).toEqual(names)
    expect(manifests['Service wishes']).toContain('app.kubernetes.io/component: api')
    for (const role of ['api', 'worker']) {
      const process = manifests[`Deployment wishes-${role}`]
      expect(process).not.toContain('volumeClaimTemplates')
      expect(readConfig(environmentOf(process))).toMatchObject({ role, databaseUrl: secrets.DATABASE_URL })
    }
  })

  it('has every secret in a file of its own, and none in a variable', () => {
    const process = render(forms.postgres)['Deployment wishes-api']
    for (const name of Object.keys(secrets)) {
      expect(process).toContain(`- { name: ${name}_FILE, value: /run/secrets/wishwell/${name} }`)
      expect(process).not.toContain(`name: ${name},`)
    }
  })

  it('is refused without a key that every process on a Postgres needs', () => {
    const { exitCode, stderr } = helm('template', 'wishes', chart, ...withKeys('DATABASE_URL', 'ADMIN_API_KEY'))
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it needs SECRETS_KEY, too')])
  })
})
