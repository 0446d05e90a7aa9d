import { boundsOf, type Schema, shapeOf } from './shape.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content & { description?: string }>
}

/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  paths?: Record<string, Record<string, Operation>>
}

interface Call extends Operation {
  id: string
  method: string
  path: string
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const asHtml = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? '')

/** A text of the document: paragraphs, lists of lines that begin with a dash, and code in backticks. */
function prose(text: string): string {
  const inline = (part: string) => asHtml(part).replace(/`([^`]+)`/g, '<code>$1</code>')
  return text
    .split(/\n{2,}/)
    .map((block) => {
      const items = block.split(/^- /m).filter((item) => item.trim() !== '')
      if (!block.startsWith('- ')) return `<p>${inline(block)}</p>`
      return `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`
    })
    .join('\n')
}

const callers: Record<string, string> = {
  apiKey: 'an API key',
  adminKey: 'the admin key',
  session: 'a session of the page',
}

function whoMayCall({ security }: Operation): string {
  const names = (security ?? []).flatMap((scheme) => Object.keys(scheme).map((name) => callers[name] ?? name))
  return names.length === 0 ? 'Anybody may call it.' : `Needs ${names.join(' or ')}.`
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description, schema = {} }) => {
    const shape = [shapeOf(schema), boundsOf(schema)].filter((part) => part !== '').join(', ')
    const needed = required ? 'required' : 'optional'
    const meaning = prose(description ?? schema.description ?? '')
    return `<tr><th scope="row"><code>${asHtml(name)}</code></th><td>${asHtml(place)}, ${needed}</td><td>${asHtml(shape)}</td><td>${meaning}</td></tr>`
  })
  return `<h4>Parameters</h4><div class="wide" tabindex="0" role="region" aria-label="Parameters"><table><thead><tr><th scope="col">name</th><th scope="col">where</th><th scope="col">form</th>
<th scope="col">meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

const shapes = ({ content = {} }: Content) =>
  Object.entries(content)
    .map(
      ([type, { schema = {} }]) =>
        `<p><code>${asHtml(type)}</code></p><pre tabindex="0">${asHtml(shapeOf(schema))}</pre>`,
    )
    .join('\n')

/** The description that the OpenAPI plugin generates for an answer without one. It is not shown. */
const descriptionOf = (status: string, given = '') =>
  given === 'Default Response' ? (status === '200' ? 'The answer' : '') : given

function responseList(responses: NonNullable<Operation['responses']>): string {
  const entries = Object.entries(responses).map(([status, response]) => {
    const title = `<code>${asHtml(status)}</code> ${prose(descriptionOf(status, response.description)).replaceAll(/<\/?p>/g, '')}`
    const shape = shapes(response)
    return shape === ''
      ? `<p>${title}</p>`
      : `<details${status === '200' ? ' open' : ''}><summary>${title}</summary>${shape}</details>`
  })
  return `<h4>Answers</h4>${entries.join('\n')}`
}

function section(call: Call): string {
  const { id, method, path, summary = '', description, parameters = [], requestBody, responses = {} } = call
  return `<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><code>${method} ${asHtml(path)}</code></h3>
<p><strong>${asHtml(summary)}.</strong> ${whoMayCall(call)}</p>
${description ? prose(description) : ''}
${parameterTable(parameters)}
${requestBody ? `<h4>Body</h4>${shapes(requestBody)}` : ''}
${responseList(responses)}
</section>`
}

function callsOf({ paths = {} }: ApiDocument): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      id: `${method}${path.replace(/[^a-zA-Z0-9]+/g, '-')}`,
    })),
  )
}

/** The API document as one page for people, without any script. Its style is a file of its own: `referenceStyle`. */
export function renderReference(document: ApiDocument): string {
  const { title, version, description = '' } = document.info
  const groups = Map.groupBy(callsOf(document), (call) => call.tags?.[0] ?? 'Other')
  const contents = [...groups].map(
    ([tag, calls]) =>
      `<h2>${asHtml(tag)}</h2><ul>${calls
        .map(
          ({ id, method, path, summary = '' }) =>
            `<li><a href="#${id}"><code>${method} ${asHtml(path)}</code></a> ${asHtml(summary)}</li>`,
        )
        .join('\n')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asHtml(title)} API</title>
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<main>
<h1>${asHtml(title)} API</h1>
<p>Version ${asHtml(version)}. The same for programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). <a href="/">The page</a></p>
${prose(description)}
<nav aria-label="Calls">${contents.join('\n')}</nav>
${[...groups].map(([tag, calls]) => `<h2>${asHtml(tag)}</h2>${calls.map(section).join('\n')}`).join('\n')}
</main>
</body>
</html>
`
}
