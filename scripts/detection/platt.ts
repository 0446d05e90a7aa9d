import { type Calibration, probabilityOf } from '../../src/requests/detection/weights-file.ts'

export interface Scored {
  score: number
  label: boolean
  /** How often the text counts. */
  weight: number
}

/** Slope and offset that make the labels likeliest, by Newton's method (Platt, 1999; Lin, Lin and Weng, 2007). */
export function fitCalibration(scored: readonly Scored[]): Calibration {
  let [slope, offset] = [1, 0]
  for (let round = 0; round < 100; round += 1) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9]
    for (const { score, label, weight } of scored) {
      const expected = probabilityOf(slope * score + offset)
      const error = weight * (expected - (label ? 1 : 0))
      const spread = weight * expected * (1 - expected)
      g0 += error * score
      g1 += error
      h00 += spread * score * score
      h01 += spread * score
      h11 += spread
    }
    const determinant = h00 * h11 - h01 * h01
    const slopeStep = (h11 * g0 - h01 * g1) / determinant
    const offsetStep = (h00 * g1 - h01 * g0) / determinant
    slope -= slopeStep
    offset -= offsetStep
    if (Math.abs(slopeStep) + Math.abs(offsetStep) < 1e-9) break
  }
  if (!(slope > 0)) throw new Error(`the calibration falls with the score: slope ${slope}`)
  return { slope, offset }
}
