import type { MovingProgress } from '../operations/moving/moving-error.ts'
import { columnsOf } from './output.ts'
import { count } from './text.ts'

/** Shows how far a dump is written or read. */
export interface MovingMeter {
  show(progress: MovingProgress): void
  /** Removes the bar from the terminal. */
  clear(): void
}

const maxBarColumns = 40
const redrawMs = 100
/** Without a terminal there is a line for each of these shares of the rows. */
const lineShare = 0.1

/** The bar, shorter than the terminal; a narrow one shows no bar. */
export function formatMovingBar({ rows, totalRows, bytes }: MovingProgress, columns: number): string {
  const share = totalRows === 0 ? 1 : Math.min(1, rows / totalRows)
  const text = `${Math.floor(share * 100)}%  ${rows.toLocaleString('en-US')} of ${count(totalRows, 'row')}, ${(bytes / 1e6).toFixed(1)} MB`
  const room = Math.min(maxBarColumns, columns - text.length - 3)
  if (room < 8) return text.slice(0, Math.max(0, columns - 1))
  return `${'█'.repeat(Math.round(share * room)).padEnd(room, '░')}  ${text}`
}

/** A bar on a terminal; elsewhere a line for each tenth of the rows. */
export function createMovingMeter(stream: NodeJS.WriteStream, verb: string): MovingMeter {
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  let nextShare = lineShare
  const clear = () => {
    if (isShown) stream.write('\r\x1b[K')
    isShown = false
  }
  const showLine = ({ rows, totalRows, bytes }: MovingProgress) => {
    const share = rows / totalRows
    if (share < nextShare) return
    nextShare = Math.floor(share / lineShare + 1) * lineShare
    const size = `${(bytes / 1e6).toFixed(1)} MB`
    stream.write(`${verb} ${rows.toLocaleString('en-US')} of ${count(totalRows, 'row')}, ${size}\n`)
  }
  return {
    show: (progress) => {
      if (!stream.isTTY) return showLine(progress)
      const now = performance.now()
      if (now - shownAt < redrawMs) return
      shownAt = now
      isShown = true
      stream.write(`\r\x1b[K${formatMovingBar(progress, columnsOf(stream) ?? 0)}`)
    },
    clear,
  }
}
