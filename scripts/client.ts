import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { breakingChanges } from './breaking-changes.ts'

// `npm run client` writes what clients are made of: the API document as client/openapi.json, and its types as client/api.d.ts. They are made by
// openapi-typescript, which is installed beside them because it needs TypeScript 5. With `--check`, as `npm run check` calls it, it only compares,
// without the generator: the first line of the types names their document and themselves. A test of the contract compares the document. It also fails for whatever breaks a
// client of openapi/v1.json, the document as it is promised (docs/promises.md): no break is allowed. With `--promise` what was added since is promised, too.

const folder = fileURLToPath(new URL('../client/', import.meta.url))
const generator = join(folder, 'generator')
const documentFile = join(folder, 'openapi.json')
const frozenFile = fileURLToPath(new URL('../openapi/v1.json', import.meta.url))
const typesFile = join(folder, 'api.d.ts')

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const firstLine = (document: string, types: string) =>
  `// \`npm run client\` makes this file of openapi.json ${hashOf(document)}. What follows is ${hashOf(types)}.\n`

/** The document of a service without any setting, which listens nowhere. */
async function readDocument(): Promise<string> {
  const [{ pino }, { readConfig }, { startService }] = await Promise.all([
    import('pino'),
    import('../src/app/config.ts'),
    import('../src/app/service.ts'),
  ])
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-client-'))
  const crash = (error: Error) => {
    throw error
  }
  try {
    const service = await startService(readConfig({ DATA_DIR: dataDir }), pino({ level: 'silent' }), crash, {
      offline: true,
    })
    const { servers: _, ...document } = (await service.app.inject('/openapi.json')).json()
    await service.stop()
    return `${JSON.stringify(document, null, 2)}\n`
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const callsOf = ({ paths }: { paths: object }): number => Object.values(paths).flatMap(Object.keys).length

function run(command: string, parameters: string[]): void {
  const { status } = spawnSync(command, parameters, { cwd: generator, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${command} ${parameters[0]} ended with ${status}`)
}

function generate(): string {
  if (!existsSync(join(generator, 'node_modules'))) run('npm', ['ci', '--ignore-scripts'])
  run(process.execPath, ['node_modules/openapi-typescript/bin/cli.js', documentFile, '--output', typesFile])
  return readFileSync(typesFile, 'utf8')
}

if (process.argv.includes('--check')) {
  const written = readFileSync(typesFile, 'utf8')
  const types = written.slice(written.indexOf('\n') + 1)
  if (written !== firstLine(readFileSync(documentFile, 'utf8'), types) + types) {
    console.error('client/api.d.ts is not of client/openapi.json: run "npm run client".')
    process.exitCode = 1
  }
  const [frozen, present] = [frozenFile, documentFile].map((file) => JSON.parse(readFileSync(file, 'utf8')))
  for (const fault of breakingChanges(frozen, present)) {
    console.error(`breaks clients of openapi/v1.json: ${fault}`)
    process.exitCode = 1
  }
  const [promised, all] = [frozen, present].map(callsOf) as [number, number]
  console.log(`v1: ${promised} of ${all} calls are promised, and no break of them is allowed`)
} else if (process.argv.includes('--promise')) {
  const [frozen, present] = [frozenFile, documentFile].map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const faults = breakingChanges(frozen, present)
  if (faults.length > 0) throw new Error(`This breaks what is promised already:\n${faults.join('\n')}`)
  writeFileSync(frozenFile, `${JSON.stringify(present, null, 2)}\n`)
} else {
  const document = await readDocument()
  writeFileSync(documentFile, document)
  const types = generate()
  writeFileSync(typesFile, firstLine(document, types) + types)
}
