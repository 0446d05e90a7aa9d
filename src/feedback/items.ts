import { hash } from 'node:crypto'
import { statusOfWord } from '../platforms/adapters/status-words.ts'
import { asDate, asEpochSeconds, asId, asInteger, asName, asWebUrl, foundRequest } from '../platforms/content/fields.ts'
import { cleanTags, htmlToPlainText, markdownToPlainText, plainText, plainTitle } from '../platforms/content/text.ts'
import type { FoundRequest } from '../platforms/platform.ts'
import type { ColumnMapping, ImportField } from './columns.ts'
import type { ImportFormat } from './formats.ts'
import type { ImportName } from './names.ts'

/** One ask from a file or form: unchecked text. */
export type Ask = Partial<Record<ImportField, string>>

/** Why a row is skipped without being faulty. */
export type LeftOut = 'noText' | 'removed' | 'pullRequest'

export type ReadAsk = { request: FoundRequest; unknownStatus: string | null } | { leftOut: LeftOut } | { error: string }

/** Fields of a row. */
export function askOf(values: Readonly<Record<string, string>>, mapping: ColumnMapping): Ask {
  const ask: Ask = {}
  for (const [field, column] of Object.entries(mapping)) ask[field as ImportField] = values[column] ?? ''
  return ask
}

const hasZone = /(?:z|utc|gmt|[+-]\d\d:?\d\d)$/i

/** ISO 8601 and export forms: `2024-01-31 10:00:00 UTC`, `Jan 31, 2024`, seconds since 1970; UTC without a zone. */
function dateOf(text: string): Date | null {
  if (/^\d{9,10}$/.test(text)) return asEpochSeconds(Number(text))
  return asDate(/^\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?$/.test(text) || hasZone.test(text) ? text : `${text} UTC`)
}

const looksLikeHtml = /<(?:p|br|div|li|ul|ol|a|b|strong|em|span|h[1-6])\b[^<>]*>|&(?:amp|lt|gt|nbsp|quot|#\d+);/i

function descriptionOf(text: string, format: ImportFormat): string {
  if (format === 'github' || format === 'reddit') return markdownToPlainText(text)
  return looksLikeHtml.test(text) ? htmlToPlainText(text) : plainText(text)
}

/** Identifies an ask: the file's id, else its address, else its text. */
const externalIdOf = (id: string, url: string, text: string): string =>
  asId(id) ?? (id === '' ? hash('sha256', url === '' ? text : url) : hash('sha256', id))

interface ReadOptions {
  name: ImportName
  format: ImportFormat
  /** Whether each is a feature request; else detection judges. */
  areRequests: boolean
  /** How many earlier asks have the same text and no id. */
  occurrence?: (text: string) => number
}

const reddit = 'https://www.reddit.com'

/** Reads one ask, or says why its row is skipped. */
export function readAsk(ask: Ask, { name, format, areRequests, occurrence }: ReadOptions): ReadAsk {
  const value = (field: ImportField) => (ask[field] ?? '').trim()
  if (format === 'github' && /\/pull\/\d+$/.test(value('url'))) return { leftOut: 'pullRequest' }
  const written = value('description')
  if (format === 'reddit' && /^\[(?:deleted|removed)\]$/.test(written)) return { leftOut: 'removed' }
  const [title, description] = [plainTitle(value('title')), descriptionOf(written, format)]
  if (title === '' && description === '') return { leftOut: 'noText' }
  const link = value('url').startsWith('/r/') ? reddit + value('url') : value('url')
  const url = asWebUrl(link)
  if (link !== '' && url === null) return { error: `${link.slice(0, 80)} is no web address.` }
  const votes = value('votes').replace(/[,\s]/g, '')
  if (!/^[+-]?\d*(?:\.\d+)?$/.test(votes)) return { error: `${votes.slice(0, 80)} is no number of votes.` }
  const date = value('createdAt') === '' ? null : dateOf(value('createdAt'))
  if (value('createdAt') !== '' && date === null)
    return { error: `${value('createdAt').slice(0, 80)} is no date; write it as 2026-01-31.` }
  const says = [title, description, value('author'), value('authorHandle'), value('createdAt')].join('\0')
  const before = value('id') === '' && url === null ? (occurrence?.(says) ?? 0) : 0
  const external = externalIdOf(value('id'), url ?? '', before === 0 ? says : `${says}\0${before}`)
  const status = statusOfWord(value('statusReason')) ?? statusOfWord(value('status'))
  const comments = Number(value('commentCount') || Number.NaN)
  return {
    unknownStatus: status === null ? value('status') || value('statusReason') || null : null,
    request: foundRequest({
      sourceId: `${name.owner}/${name.name}/${external}`,
      sourceUrl: url ?? `import:${name.name}#${encodeURIComponent(external).slice(0, 300)}`,
      title,
      description,
      votes: asInteger(Number(votes || 0)) ?? 0,
      tags: cleanTags(value('tags').split(/[,;|]/, 1_000)),
      commentCount: Number.isNaN(comments) ? null : asInteger(comments),
      authorName: asName(value('author')),
      authorHandle: asName(value('authorHandle')),
      originalCreatedAt: date,
      status,
      sourceName: name.name,
      ownSource: name.source,
      ...(areRequests ? { confidence: 1 } : {}),
    }),
  }
}
