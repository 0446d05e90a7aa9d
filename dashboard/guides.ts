import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'
import type { Plugin } from 'vite'

const folder = fileURLToPath(new URL('../docs/', import.meta.url))

/** The pages of `/docs`, in the order of the menu: the names of files in docs/. The first is that of `/docs` itself. */
export const menu: Readonly<Record<string, readonly string[]>> = {
  Start: ['quickstart'],
  Guides: [
    'collecting',
    'feedback',
    'searching',
    'wishes',
    'briefs',
    'pushes',
    'watches',
    'webhooks',
    'mcp',
    'scaling',
  ],
  Reference: ['api', 'client', 'credits', 'limits', 'errors', 'moving-from-requesthunt'],
  Operating: ['deploy', 'configuration', 'operating', 'expansion', 'security', 'promises'],
}
export const pages = Object.values(menu).flat()
const [first] = pages as [string]

const sourceOf = (name: string): string => readFileSync(`${folder}${name}.md`, 'utf8')
/** Of the documents whose titles are too long for the menu. */
const shortTitles: Readonly<Record<string, string>> = { watches: 'Watches', mcp: 'Agents' }

const titleOf = (source: string): string => /^# (.+)$/m.exec(source)?.[1]?.replaceAll('`', '') ?? ''
const addressOf = (name: string): string => (name === first ? '/docs' : `/docs/${name}`)

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Where a link of a document leads on the service; null where the service has nothing. */
function linkOf(target: string): string | null {
  if (/^(https?:|#|\/)/.test(target)) return target
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return name !== undefined && pages.includes(name) ? addressOf(name) + anchor : null
}

type Renderer = ReturnType<typeof createRenderer>

function createRenderer() {
  const markdown = new MarkdownIt({ html: true })
  const { rules } = markdown.renderer
  rules.heading_open = (tokens, index, options, _environment, self) => {
    tokens[index]!.attrSet('id', anchorOf(tokens[index + 1]!.content))
    return self.renderToken(tokens, index, options)
  }
  /** Whether each link that is open is one: links to what the service does not have are text. */
  const open: boolean[] = []
  rules.link_open = (tokens, index, options, _environment, self) => {
    const link = linkOf(String(tokens[index]!.attrGet('href') ?? ''))
    open.push(link !== null)
    if (link === null) return ''
    tokens[index]!.attrSet('href', link)
    return self.renderToken(tokens, index, options)
  }
  rules.link_close = () => (open.pop() ? '</a>' : '')
  // Our comments only: what made a table.
  rules.html_block = () => ''
  rules.html_inline = () => ''
  rules.table_open = () => '<div class="table"><table>'
  rules.table_close = () => '</table></div>'
  return markdown
}

const menuOf = (current: string): string =>
  Object.entries(menu)
    .map(([group, names]) => {
      const items = names.map((name) => {
        const here = name === current ? ' aria-current="page"' : ''
        return `<li><a href="${addressOf(name)}"${here}>${shortTitles[name] ?? titleOf(sourceOf(name))}</a></li>`
      })
      if (group === 'Reference') items.unshift('<li><a href="/docs/reference">Every call</a></li>')
      return `<h2>${group}</h2><ul>${items.join('')}</ul>`
    })
    .join('')

const htmlOf = (name: string, markdown: Renderer): string => {
  const source = sourceOf(name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(source)} · Wishwell</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guides.css">
<script defer src="/docs/guides.js"></script>
</head>
<body>
<header><a href="/">Wishwell</a><a href="/docs">Documentation</a></header>
<div class="columns">
<nav aria-label="Documentation">${menuOf(name)}</nav>
<main>${markdown.render(source)}</main>
</div>
</body>
</html>
`
}

/** `llms.txt` (https://llmstxt.org): what there is to read, for models. */
const indexForModels = (): string =>
  `# Wishwell

> Open-source software that collects feature requests from public platforms, groups those that ask for the same into wishes, lets people and agents search them, and meters live collection with credits.

Agents use the tools of \`/mcp\` ([how](/docs/mcp.md)); \`/openapi.json\` describes every call. [/llms-full.txt](/llms-full.txt) has all of these pages.
${Object.entries(menu)
  .map(
    ([group, names]) =>
      `\n## ${group}\n\n${names.map((name) => `- [${titleOf(sourceOf(name))}](/docs/${name}.md)`).join('\n')}\n`,
  )
  .join('')}`

/** Makes the pages of `/docs` from docs/, their Markdown, and what models read: as files of the page. */
export const guides = (): Plugin => ({
  name: 'guides',
  apply: 'build',
  generateBundle() {
    const markdown = createRenderer()
    const emit = (fileName: string, source: string) => this.emitFile({ type: 'asset', fileName, source })
    for (const name of pages) {
      emit(`docs/${name}.html`, htmlOf(name, markdown))
      emit(`docs/${name}.md`, sourceOf(name))
    }
    for (const file of ['guides.css', 'guides.js']) {
      emit(`docs/${basename(file)}`, readFileSync(new URL(`./guides/${file}`, import.meta.url), 'utf8'))
    }
    emit('llms.txt', indexForModels())
    emit('llms-full.txt', pages.map(sourceOf).join('\n\n'))
  },
})
