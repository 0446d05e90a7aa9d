import type { PlatformName } from '../../database/column-types.ts'
import { type Html, html } from '../../http/html.ts'
import { htmlDocument } from '../pages/document.ts'
import { link } from '../pages/posts.ts'
import { styleHash } from '../pages/style.ts'
import type { Block, Inline } from './lines.ts'

const inline = (part: Inline): Html =>
  typeof part === 'string' ? html`<bdi>${part}</bdi>` : link(part.url, part.text, part.platform as PlatformName)

const joined = (parts: readonly Inline[]): Html[] => parts.map(inline)

const heading = (level: 1 | 2 | 3, text: string): Html =>
  level === 1
    ? html`<h1 dir="auto">${text}</h1>`
    : level === 2
      ? html`<h2>${text}</h2>`
      : html`<h3 dir="auto">${text}</h3>`

function render(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return heading(block.level, block.text)
    case 'line':
      return block.tone === 'text'
        ? html`<p>${joined(block.parts)}</p>`
        : html`<p class="${block.tone}">${joined(block.parts)}</p>`
    case 'quote':
      return html`<blockquote><p dir="auto">“${block.text}${block.isWhole ? '' : ' …'}”</p>
<footer class="origin">${joined(block.origin)}</footer></blockquote>`
    case 'ranking':
      return html`<ol class="ranking">${block.rows.map(
        (row) => html`<li>${joined(row)}</li>
`,
      )}</ol>`
  }
}

/** A brief's blocks as part of a page. */
export const briefBody = (blocks: readonly Block[]): Html =>
  html`${blocks.map(
    (block) => html`${render(block)}
`,
  )}`

/** The title of a brief's page. */
export const titleOf = (blocks: readonly Block[]): string =>
  blocks.find((block) => block.kind === 'heading')?.text ?? ''

/** A brief as a self-contained HTML file. */
export const briefHtml = (blocks: readonly Block[]): string =>
  htmlDocument({
    title: titleOf(blocks),
    language: 'en',
    head: html`<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'none'; base-uri 'none'">
`,
    body: html`<main>
${briefBody(blocks)}</main>`,
  })
