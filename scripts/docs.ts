import { readFileSync, writeFileSync } from 'node:fs'
import { environmentSchema } from '../src/config.ts'
import { errorCatalogue } from '../src/http/errors.ts'

// Writes the parts of the documents that are made from code: the configuration table and the error catalogue.
// A test fails when they are not up to date.

interface Variable {
  default?: string | number
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

const files = {
  readme: new URL('../README.md', import.meta.url),
  errors: new URL('../docs/errors.md', import.meta.url),
}
const marked = /(<!-- configuration: [^>]* -->\n)[\s\S]*?(<!-- \/configuration -->)/

/** What the documents ought to be. */
export function currentDocuments(): { file: URL; text: string }[] {
  const readme = readFileSync(files.readme, 'utf8').replace(
    marked,
    (_all, start, end) => `${start}${configurationTable()}\n${end}`,
  )
  return [
    { file: files.readme, text: readme },
    { file: files.errors, text: errorPage() },
  ]
}

if (import.meta.main) for (const { file, text } of currentDocuments()) writeFileSync(file, text)
