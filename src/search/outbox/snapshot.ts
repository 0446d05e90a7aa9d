/**
 * A position in the log of changes: a `pg_snapshot`, which says of every transaction whether it was complete. Positions are no numbers of
 * rows or of transactions: transactions end in another order than they begin, so what is behind the highest number seen is not all read.
 */
export interface Snapshot {
  /** No transaction from this number on was complete … */
  end: bigint
  /** … and below it all but these. */
  open: bigint[]
}

/** Reads the text form of Postgres, `xmin:xmax:xip_list`. */
export function parseSnapshot(text: string): Snapshot {
  const [, end = '', open = ''] = text.split(':')
  return { end: BigInt(end), open: open === '' ? [] : open.split(',').map(BigInt) }
}

export function formatSnapshot({ end, open }: Snapshot): string {
  const sorted = open.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return `${sorted[0] ?? end}:${end}:${sorted.join(',')}`
}

/** The part of a snapshot below a transaction: the position of a reader that did not read from it on. */
export const snapshotBelow = ({ open }: Snapshot, end: bigint): Snapshot => ({
  end,
  open: open.filter((id) => id < end),
})
