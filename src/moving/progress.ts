/** How far a dump is written, read or stored. */
export interface MovingProgress {
  rows: number
  totalRows: number
  /** Of the dump. */
  bytes: number
}
