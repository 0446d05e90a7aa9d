/** Log-odds of a wish from the score of a model: `slope * score + offset` (Platt scaling, 1999). The slope is above 0. */
export interface Calibration {
  slope: number
  offset: number
}

/** Beyond this the evidence of a text is no surer, and the sum with other evidence stays finite. */
const maxLogOdds = 12

export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** @returns log-odds between -12 and 12; rising with the score. */
export function calibrated(score: number, { slope, offset }: Calibration): number {
  return Math.min(maxLogOdds, Math.max(-maxLogOdds, slope * score + offset))
}
