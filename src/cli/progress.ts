import { styleText } from 'node:util'
import { type GenericFormatter, MultiBar } from 'cli-progress'
import type { TaskState } from '../database/tables.ts'
import { countColumns, formatDuration, printable } from './text.ts'

/** Shows how far the platforms of a job are. */
export interface Progress {
  /** The states as the service tells them, of some platforms or all; only changes are shown. Bars have room for details, too. */
  update(states: Readonly<Record<string, TaskState>>, details?: Readonly<Record<string, string>>): void
  /** A line for the person who waits. */
  note(text: string): void
  /** Leaves the terminal as it was; safe to call twice. */
  stop(): void
}

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/** Bars on a terminal, otherwise one line for each change. */
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

export interface BarRow {
  platform: string
  state: TaskState
  /** Since it was first seen to run; null while it is pending. */
  elapsedMs: number | null
  /** Pages so far, or until when it waits. */
  detail?: string
}

const maxBarColumns = 30
const minBarColumns = 4
const framesPerSecond = 10

/** The bar of a platform whose share of the work nobody knows: empty, then a block that wanders, then full. */
function drawBar({ state, elapsedMs }: BarRow, columns: number): string {
  if (state === 'pending') return '░'.repeat(columns)
  if (state !== 'running') return '█'.repeat(columns)
  const block = Math.ceil(columns / 4)
  const start = Math.floor(((elapsedMs ?? 0) / 1000) * framesPerSecond)
  const filled = new Set(Array.from({ length: block }, (_, index) => (start + index) % columns))
  return Array.from({ length: columns }, (_, index) => (filled.has(index) ? '█' : '░')).join('')
}

const gap = '  '
/** The longest state and time are counted, so that bars keep their width. */
const restColumns = 'skipped  999 min 59 s'.length

/** One platform's line; on a terminal too narrow for a bar, its name and state. */
export function formatBarRow(
  row: BarRow,
  layout: { nameColumns: number; columns: number },
  paint: (text: string) => string,
) {
  const { platform, state, elapsedMs, detail = '' } = row
  const name = platform + ' '.repeat(Math.max(0, layout.nameColumns - countColumns(platform)))
  const barColumns = Math.min(maxBarColumns, layout.columns - layout.nameColumns - restColumns - 2 * gap.length - 1)
  const bar = barColumns < minBarColumns ? [] : [paint(drawBar(row, barColumns))]
  const elapsed = elapsedMs === null ? '' : formatDuration(elapsedMs)
  const line = [name, ...bar, paint(`${printable(state).padEnd(7)}${gap}${elapsed}`)].join(gap)
  const usedColumns = layout.nameColumns + (bar.length > 0 ? barColumns + gap.length : 0) + restColumns + gap.length
  const hasRoom = detail !== '' && usedColumns + gap.length + countColumns(detail) < layout.columns
  return hasRoom ? `${line}${gap}${detail}` : line
}

function createBars(stream: Stream, platforms: readonly string[]): Progress {
  const names = platforms.map(printable)
  const nameColumns = Math.max(0, ...names.map(countColumns))
  const rows = new Map(
    names.map((name) => [name, { state: 'pending' as TaskState, detail: '', begunAt: 0, endedAt: 0 }]),
  )
  const format: GenericFormatter = (_options, { maxWidth }, { name }: { name: string }) => {
    const { state, detail, begunAt, endedAt } = rows.get(name)!
    const elapsedMs = state === 'pending' ? null : (endedAt || performance.now()) - begunAt
    const paint = (text: string) => styleText(styles[state] ?? 'reset', text, { stream })
    return formatBarRow({ platform: name, state, elapsedMs, detail }, { nameColumns, columns: maxWidth }, paint)
  }
  // A note moves every bar down a line, also those that stay as they are.
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
