import { readFileSync, writeFileSync } from 'node:fs'
import { environmentSchema } from '../src/config.ts'
import { errorCatalogue } from '../src/http/errors.ts'

// Writes the parts of the documents that are generated from code: the configuration table, the map of rooms and the error catalogue.
// A test fails when they are not up to date.

interface Variable {
  default?: string | number | boolean
  description?: string
}

/** The table of environment variables, as the README shows it. */
export function configurationTable(): string {
  const required = new Set(environmentSchema.required as string[])
  const rows = Object.entries(environmentSchema.properties as Record<string, Variable>).map(([name, variable]) => {
    const fallback = required.has(name) && variable.default !== undefined ? `\`${variable.default}\`` : 'none'
    return `| \`${name}\` | ${fallback} | ${variable.description} |`
  })
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The page of error codes. */
export function errorPage(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  return `# Errors

Made by \`npm run docs\` from \`src/http/errors.ts\`. A failure is \`{"error": {"code", "message"}}\`; \`message\` is for people, \`code\`
for programs. \`INVALID_REQUEST\` carries \`details\`, a list of \`{path, message}\`; \`RATE_LIMITED\` carries \`reason\` (\`credits\` with
\`resetsAt\`, or \`rate\` with the header \`Retry-After\`).

| code | status | when |
| --- | --- | --- |
${rows.join('\n')}
`
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
  return ['| layer | room | its job |', '| --- | --- | --- |', ...rowsOf('top', composition, ''), ...rows.flat()].join(
    '\n',
  )
}

const files = {
  architecture: new URL('../ARCHITECTURE.md', import.meta.url),
  readme: new URL('../README.md', import.meta.url),
  errors: new URL('../docs/errors.md', import.meta.url),
}
/** A document with a new part between its two marks. */
function fill(file: URL, name: string, text: string): { file: URL; text: string } {
  const marked = new RegExp(`(<!-- ${name}: [^>]* -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
  return { file, text: readFileSync(file, 'utf8').replace(marked, (_all, start, end) => `${start}${text}\n${end}`) }
}

/** The documents as they must be. */
export function currentDocuments(): { file: URL; text: string }[] {
  return [
    fill(files.readme, 'configuration', configurationTable()),
    fill(files.architecture, 'rooms', roomsTable()),
    { file: files.errors, text: errorPage() },
  ]
}

if (import.meta.main) for (const { file, text } of currentDocuments()) writeFileSync(file, text)
