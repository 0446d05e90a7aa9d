import { blocksOf } from './blocks.ts'
import { briefHtml } from './html.ts'
import { briefMarkdown } from './markdown.ts'
import { documentJson } from './parts.ts'
import type { Brief } from './schemas.ts'

export const briefFormats = ['markdown', 'html', 'json'] as const

export type BriefFormat = (typeof briefFormats)[number]

/** Content type and extension per format. */
export const fileTypes: Readonly<Record<BriefFormat, { type: string; extension: string }>> = {
  markdown: { type: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { type: 'text/html; charset=utf-8', extension: 'html' },
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
}

/** A brief as a file: identical bytes for the same snapshot, until part of it is removed. */
export function briefFile(brief: Brief, format: BriefFormat): string {
  const { snapshot, removed, document } = brief
  if (format === 'json') return documentJson({ snapshot: `sha256:${snapshot}`, removed, document })
  const blocks = blocksOf(brief)
  return format === 'html' ? briefHtml(blocks) : briefMarkdown(blocks)
}

/** The format of a file, by its start. */
export const formatOf = (file: string): BriefFormat =>
  /^\s*</.test(file) ? 'html' : /^\s*\{/.test(file) ? 'json' : 'markdown'

/** The snapshot (hex) named at the end of a file; null if none. Quotations before it may contain similar text. */
export const namedSnapshot = (file: string): string | null =>
  [...file.matchAll(/sha256:([0-9a-f]{64})/g)].at(-1)?.[1] ?? null

export interface Line {
  /** Including the empty lines after it. */
  text: string
  number: number
}

/** A file's lines, each with the empty ones after it: alone, those would match anywhere. Ignores BOM and line ends. */
export function linesOf(file: string): Line[] {
  const texts = file.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  if (texts.at(-1) === '') texts.pop()
  const lines: Line[] = []
  for (const [at, text] of texts.entries()) {
    const before = lines.at(-1)
    if (text.trim() === '' && before !== undefined) before.text += `\n${text}`
    else lines.push({ text, number: at + 1 })
  }
  return lines
}
