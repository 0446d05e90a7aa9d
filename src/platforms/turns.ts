import { asFields } from './fields.ts'
import type { Json } from './platform.ts'

/** Which source (a site, a phrase) is asked for its which page, counted from 0. */
export interface Turn {
  source: string
  page: number
}

/**
 * Sources take turns, one page each, so that a shallow search sees all of them. The cursor is
 * `{turn, next: {[source]: page | null}}`; null means that the source has no more. A source that is not in the cursor
 * (the operator has added it since) begins at its first page, one that is no longer configured is left out.
 */
export function currentTurn(cursor: Json, sources: readonly string[]): Turn | null {
  const { turn, next } = readCursor(cursor, sources)
  for (let step = 0; step < sources.length; step++) {
    const source = sources[(turn + step) % sources.length]!
    const page = next.get(source)!
    if (page !== null) return { source, page }
  }
  return null
}

/** The cursor after `turn` was asked; null when no source has more. */
export function cursorAfter(cursor: Json, sources: readonly string[], turn: Turn, hasMore: boolean): Json {
  const { next } = readCursor(cursor, sources)
  next.set(turn.source, hasMore ? turn.page + 1 : null)
  if ([...next.values()].every((page) => page === null)) return null
  return { turn: (sources.indexOf(turn.source) + 1) % sources.length, next: Object.fromEntries(next) }
}

function readCursor(cursor: Json, sources: readonly string[]): { turn: number; next: Map<string, number | null> } {
  const fields = asFields(cursor)
  const pages = asFields(fields?.next) ?? {}
  const next = new Map(sources.map((source) => [source, Object.hasOwn(pages, source) ? asPageOrEnd(pages[source]) : 0]))
  return { turn: asIndex(fields?.turn) ?? 0, next }
}

function asPageOrEnd(value: unknown): number | null {
  return value === null ? null : (asIndex(value) ?? 0)
}

function asIndex(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
