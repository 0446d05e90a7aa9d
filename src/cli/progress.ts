import { styleText } from 'node:util'
import { type GenericFormatter, MultiBar } from 'cli-progress'
import type { Job } from './api-types.ts'
import { countColumns, formatDuration, printable, shorten } from './text.ts'

type TaskState = Job['progress'][string]

export interface Detail {
  /** Beside the state: pages and requests so far, or a wait's end. */
  text: string
  /** The share done, 0 to 1; absent if unknown. */
  share?: number
}

export interface Progress {
  /** Reports states of some or all platforms. Only changes are shown; bars also show details. */
  update(states: Readonly<Record<string, TaskState>>, details?: Readonly<Record<string, Detail>>): void
  note(text: string): void
  /** Restores the terminal; safe to call twice. */
  stop(): void
}

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/** Bars on a terminal, else a line per change. */
export function createProgress(stream: Stream, platforms: readonly string[], movesCursor: boolean): Progress {
  return stream.isTTY && movesCursor ? createBars(stream, platforms) : createLines(stream)
}

function createLines(stream: Stream): Progress {
  const shown = new Map<string, TaskState>()
  return {
    update: (states) => {
      for (const [platform, state] of Object.entries(states)) {
        if ((shown.get(platform) ?? 'pending') !== state) stream.write(`${printable(platform)}: ${printable(state)}\n`)
        shown.set(platform, state)
      }
    },
    note: (text) => void stream.write(`${text}\n`),
    stop: () => {},
  }
}

const styles = { pending: 'dim', running: 'cyan', done: 'green', error: 'red', skipped: 'yellow' } as const

interface BarRow {
  platform: string
  state: TaskState
  /** Since it was first seen running; null while pending. */
  elapsedMs: number | null
  detail?: Detail
}

const maxBarColumns = 30
const minBarColumns = 4
const framesPerSecond = 10

/** A bar of the share done; a moving block if unknown. */
function drawBar({ state, elapsedMs, detail }: BarRow, columns: number): string {
  if (state === 'pending') return '░'.repeat(columns)
  if (state !== 'running') return '█'.repeat(columns)
  if (detail?.share) return '█'.repeat(Math.round(Math.min(1, detail.share) * columns)).padEnd(columns, '░')
  const block = Math.ceil(columns / 4)
  const start = Math.floor(((elapsedMs ?? 0) / 1000) * framesPerSecond)
  const filled = new Set(Array.from({ length: block }, (_, index) => (start + index) % columns))
  return Array.from({ length: columns }, (_, index) => (filled.has(index) ? '█' : '░')).join('')
}

const gap = '  '
/** The width of the longest state and time, which keeps bars aligned. */
const statusColumns = 'skipped  99 min 59 s'.length
/** Fits almost every detail; bars leave room for it. */
const detailColumns = '40/40 pages, 12,345 new'.length
/** The largest share of a line for a name. */
const nameShare = 0.4

/** A platform's line, fitted to the terminal; a narrow one shows no bar or no details. */
export function formatBarRow(
  row: BarRow,
  layout: { nameColumns: number; columns: number },
  paint: (text: string) => string,
) {
  const { state, elapsedMs, detail } = row
  const nameColumns = Math.min(layout.nameColumns, Math.floor(layout.columns * nameShare))
  const platform = shorten(row.platform, nameColumns)
  const name = platform + ' '.repeat(nameColumns - countColumns(platform))
  const free = layout.columns - nameColumns - statusColumns - gap.length - 1
  const beside = free - detailColumns - 2 * gap.length
  // The bar gets the room that the detail leaves, and is dropped first.
  const barColumns = Math.min(maxBarColumns, beside >= minBarColumns ? beside : free - gap.length)
  const bar = barColumns < minBarColumns ? [] : [paint(drawBar(row, barColumns))]
  const elapsed = elapsedMs === null ? '' : formatDuration(elapsedMs)
  const status = paint(`${printable(state).padEnd(7)}${gap}${elapsed}`)
  const line = [name, ...bar, status].join(gap)
  const room = free - (bar.length > 0 ? barColumns + gap.length : 0) - gap.length
  if (!detail?.text || countColumns(detail.text) > room) return line
  // Aligns details in a column, whatever the time's width.
  const padding = ' '.repeat(Math.max(0, timeColumns - countColumns(elapsed)))
  return `${line}${padding}${gap}${detail.text}`
}

const timeColumns = '99 min 59 s'.length

function createBars(stream: Stream, platforms: readonly string[]): Progress {
  const names = platforms.map(printable)
  const nameColumns = Math.max(0, ...names.map(countColumns))
  const rows = new Map(
    names.map((name) => [
      name,
      { state: 'pending' as TaskState, detail: undefined as Detail | undefined, begunAt: 0, endedAt: 0 },
    ]),
  )
  const format: GenericFormatter = (_options, { maxWidth }, { name }: { name: string }) => {
    const { state, detail, begunAt, endedAt } = rows.get(name)!
    const elapsedMs = state === 'pending' ? null : (endedAt || performance.now()) - begunAt
    const paint = (text: string) => styleText(styles[state] ?? 'reset', text, { stream })
    return formatBarRow(
      { platform: name, state, elapsedMs, ...(detail ? { detail } : {}) },
      { nameColumns, columns: maxWidth },
      paint,
    )
  }
  // A note moves every bar down, so redraw all.
  const bars = new MultiBar({ stream, format, hideCursor: true, forceRedraw: true, fps: framesPerSecond })
  for (const name of names) bars.create(1, 0, { name })
  return {
    update: (states, details = {}) => {
      for (const [platform, state] of Object.entries(states)) {
        const row = rows.get(printable(platform))
        if (row) row.detail = details[platform] ?? row.detail
        if (!row || row.state === state) continue
        if (row.state === 'pending') row.begunAt = performance.now()
        if (state !== 'pending' && state !== 'running') row.endedAt = performance.now()
        row.state = state
      }
    },
    note: (text) => bars.log(`${text}\n`),
    stop: () => {
      if (bars.isActive) bars.stop()
    },
  }
}
