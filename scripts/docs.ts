import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { environmentSchema, secretVariables } from '../src/app/config.ts'
import { errorCatalogue } from '../src/http/errors.ts'
import { catalogue, labelMeanings } from '../src/operations/metrics/catalogue.ts'
import { importPlatform, platformDefinitions } from '../src/platforms/registry.ts'
import { nightlyParts } from '../test/nightly.ts'

// Writes what is made from code: the configuration table, the lists of platforms, the map of the rooms, the error catalogue,
// the series of the metrics, the parts of the nightly tests, the guarantees and the platform titles of the dashboard. `test/documents.test.ts` fails when they are out of date.

interface Variable {
  default?: string | number | boolean
  description?: string
}

/** The table of environment variables in `docs/configuration.md`. */
export function configurationTable(): string {
  const required = new Set(environmentSchema.required as string[])
  const rows = Object.entries(environmentSchema.properties as Record<string, Variable>).map(([name, variable]) => {
    const fallback = required.has(name) && variable.default !== undefined ? `\`${variable.default}\`` : 'none'
    const file = secretVariables.includes(name) ? `; also \`${name}_FILE\`` : ''
    return `| \`${name}\` | ${fallback} | ${variable.description}${file} |`
  })
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** A file to copy to `.env`: each setting with its default, switched off. */
export function environmentExample(): string {
  const entries = Object.entries(environmentSchema.properties as Record<string, Variable>).map(
    ([name, { description, default: fallback }]) => `# ${description}\n# ${name}=${fallback ?? ''}`,
  )
  return `# \`npm run docs\` makes this file. Copy what you need to .env, without the first sign of its line; docs/configuration.md explains more.\n\n${entries.join('\n\n')}\n`
}

/** The page of error codes. */
export function errorPage(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, meaning, remedy }]) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`,
  )
  return `# Errors

\`npm run docs\` makes this page from \`src/http/errors.ts\`.

The body of an error is \`{"error": {"code", "message", "requestId", "documentation"}}\`: \`code\` is for programs, \`message\` for people; the log has the
\`requestId\`, and \`documentation\` is the address of a page on the service. Two codes carry more:

- \`INVALID_REQUEST\` has \`details\`, a list of \`{path, message}\`.
- \`RATE_LIMITED\` has \`reason\`: \`credits\`, \`key_budget\` or \`watch_budget\` with \`resetsAt\`, or \`rate\` with the header \`Retry-After\`.

| code | status | when | what helps |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

/** The list of platforms in the README: those that are on by default, then those that are off until they are named. */
export function platformList(): string {
  const linksOf = (definitions: typeof platformDefinitions) =>
    definitions.map(({ name, title }) => `[${title}](docs/platforms/${name}.md)`).join(', ')
  const open = platformDefinitions.filter(({ isOpen }) => isOpen)
  return `- On by default, without credentials: ${linksOf(open.filter(({ isOptIn }) => !isOptIn))}.
- Without credentials, but only when \`PLATFORMS\` names them: ${linksOf(open.filter(({ isOptIn }) => isOptIn))}.
- With credentials, and only when \`PLATFORMS\` names them: ${linksOf(platformDefinitions.filter(({ isOpen }) => !isOpen))}.`
}

/** The titles of all platforms, for what the dashboard shows, too: it must not load the registry. */
export function platformTitlesModule(): string {
  const lines = platformDefinitions.map(({ name, title }) => `  ${name}: '${title}',`)
  lines.push(`  ${importPlatform}: 'Imported',`)
  return `// \`npm run docs\` makes this file from src/platforms/adapters/*/settings.ts.

/** The title of each platform by its name. */
export const platformTitles: Readonly<Record<string, string>> = {
${lines.join('\n')}
}

/** The name that people use for a platform; of one that is here no more its own. */
export const platformTitle = (platform: string): string => platformTitles[platform] ?? platform

interface Origin {
  sourcePlatform: string
  sourceName: string | null
}

/** What an imported request is shown as, such as \`import:inbox\`; null for others. */
export const importTitle = ({ sourcePlatform, sourceName }: Origin): string | null =>
  sourcePlatform === '${importPlatform}' ? \`import:\${sourceName}\` : null
`
}

/** The table of series in `docs/monitoring/README.md`. */
export function seriesTable(): string {
  const rows = Object.entries(catalogue).map(([name, series]) => {
    const kind = series.kind === 'total' ? 'counter' : series.kind
    const labels = series.labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${kind}${'isShared' in series ? ', shared' : ''} | ${labels} | ${series.help} |`
  })
  return ['| series | kind | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** The table of labels in `docs/monitoring/README.md`. */
export function labelTable(): string {
  const rows = Object.entries(labelMeanings).map(([label, meaning]) => `| \`${label}\` | ${meaning} |`)
  return ['| label | meaning |', '| --- | --- |', ...rows].join('\n')
}

/** The table of nightly parts in `CONTRIBUTING.md`. */
export function nightlyTable(): string {
  const rows = Object.entries(nightlyParts).map(([name, { about, after }]) => `| \`${name}\` | ${about} | ${after} |`)
  return ['| part | holds | run it after a change of |', '| --- | --- | --- |', ...rows].join('\n')
}

const root = new URL('../', import.meta.url)

/** The page of guarantees: each is a line `// Holds (area): …` in the files of the tests that fail without it. */
export function guaranteesPage(): string {
  const areas = new Map<string, Map<string, string[]>>()
  for (const file of globSync('{src,test,simulator}/**/*.test.ts', { cwd: root }).sort()) {
    for (const [, area = '', guarantee = ''] of readFileSync(new URL(file, root), 'utf8').matchAll(
      /^\/\/ Holds \(([^)]+)\): (.+)$/gm,
    )) {
      const guarantees = areas.get(area) ?? new Map<string, string[]>()
      areas.set(area, guarantees)
      guarantees.set(guarantee, [...(guarantees.get(guarantee) ?? []), `[${file.split('/').at(-1)}](../${file})`])
    }
  }
  const sections = [...areas].sort().map(([area, guarantees]) => {
    const rows = [...guarantees].sort().map(([guarantee, tests]) => `- ${guarantee} (${tests.join(', ')})`)
    return `## ${area}\n\n${rows.join('\n')}\n`
  })
  return `# Guarantees

\`npm run docs\` makes this page from the tests: each guarantee is a line \`// Holds (area): …\` in the file of the test that fails without it.

${sections.join('\n')}`
}

interface Operation {
  summary: string
  tags: string[]
}

/** The calls of accounts in `docs/api.md`, by the API document. */
export function callsTable(): string {
  const document = readFileSync(new URL('client/openapi.json', root), 'utf8')
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(document)
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => !tags.includes('Admin'))
      .map(([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`),
  )
  return rows.join('\n')
}

const roomsFile = new URL('../rooms.json', import.meta.url)

interface Rooms {
  layers: Record<string, string>[]
  composition: Record<string, string>
}

/** The map of `src/`, the highest layer first, as ARCHITECTURE.md shows it. */
export function roomsTable(): string {
  const { layers, composition }: Rooms = JSON.parse(readFileSync(roomsFile, 'utf8'))
  const rowsOf = (name: string, rooms: Record<string, string>, slash: string) =>
    Object.entries(rooms).map(([room, job], index) => `| ${index === 0 ? name : ''} | \`${room}${slash}\` | ${job} |`)
  const rows = layers.map((rooms, index) => rowsOf(`${index + 1}`, rooms, '/')).reverse()
  return ['| layer | room | purpose |', '| --- | --- | --- |', ...rowsOf('top', composition, ''), ...rows.flat()].join(
    '\n',
  )
}

const files = {
  api: new URL('../docs/api.md', import.meta.url),
  architecture: new URL('../ARCHITECTURE.md', import.meta.url),
  contributing: new URL('../CONTRIBUTING.md', import.meta.url),
  configuration: new URL('../docs/configuration.md', import.meta.url),
  errors: new URL('../docs/errors.md', import.meta.url),
  guarantees: new URL('../docs/guarantees.md', import.meta.url),
  monitoring: new URL('../docs/monitoring/README.md', import.meta.url),
  readme: new URL('../README.md', import.meta.url),
  platformTitles: new URL('../src/platforms/titles.ts', import.meta.url),
}

/** @returns the document with new texts, each between two marks with its name. */
function fill(file: URL, texts: Record<string, string>): { file: URL; text: string } {
  let document = readFileSync(file, 'utf8')
  for (const [name, text] of Object.entries(texts)) {
    const marked = new RegExp(`(<!-- ${name}: [^>]* -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
    document = document.replace(marked, (_all, start, end) => `${start}${text}\n${end}`)
  }
  return { file, text: document }
}

interface ProjectNames {
  repository: string
  homepage: string
  image: string
  mcpName: string
}

/** Where the project is to be had. */
export const projectNames: ProjectNames = JSON.parse(readFileSync(new URL('project.json', root), 'utf8'))

/** The files that machines read, with the names of `project.json`. */
function filesWithNames(): { file: URL; text: string }[] {
  const { repository, homepage, image, mcpName } = projectNames
  const change = (path: string, edit: (text: string) => string) => {
    const file = new URL(path, root)
    return { file, text: edit(readFileSync(file, 'utf8')) }
  }
  const manifest = (text: string) => {
    const { name, version, description, license, ...rest } = JSON.parse(text)
    const links = { homepage, repository: { type: 'git', url: `git+${repository}.git` }, bugs: `${repository}/issues` }
    return `${JSON.stringify({ name, version, description, license, ...rest, ...links, mcpName }, null, 2)}\n`
  }
  return [
    change('package.json', manifest),
    change('server.json', (text) => text.replace(/"name": "[^"]+"/, `"name": "${mcpName}"`)),
    change('deploy/helm/values.yaml', (text) => text.replace(/(?<=^ {2}repository: ).+$/m, image)),
    change('docs/deploy.md', (text) =>
      text.replace(/(?<=image\.repository=)\S+/g, image).replace(/(?<= -t )\S+(?=:\d)/g, image),
    ),
  ]
}

/** The documents and generated files as they should be now. */
export function currentDocuments(): { file: URL; text: string }[] {
  return [
    ...filesWithNames(),
    { file: new URL('.env.example', root), text: environmentExample() },
    fill(files.api, { calls: callsTable() }),
    fill(files.configuration, { configuration: configurationTable() }),
    fill(files.contributing, { nightly: nightlyTable() }),
    fill(files.architecture, { rooms: roomsTable() }),
    fill(files.monitoring, { series: seriesTable(), labels: labelTable() }),
    fill(files.readme, { platforms: platformList() }),
    { file: files.errors, text: errorPage() },
    { file: files.guarantees, text: guaranteesPage() },
    { file: files.platformTitles, text: platformTitlesModule() },
  ]
}

if (import.meta.main) for (const { file, text } of currentDocuments()) writeFileSync(file, text)
