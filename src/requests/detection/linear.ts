import { blockCount, type Features } from './features.ts'

/** Weights of every position of the tables, as integers of 8 bits; each block has a scale. */
export interface LinearModel {
  weights: Int8Array
  scales: readonly number[]
  bias: number
}

/** The log-odds before calibration. */
export function scoreOf(model: LinearModel, { positions, ends, values }: Features): number {
  const { weights, scales } = model
  let score = model.bias
  let index = 0
  for (let block = 0; block < blockCount; block += 1) {
    let sum = 0
    for (const end = ends[block]!; index < end; index += 1) sum += weights[positions[index]!]!
    score += sum * scales[block]! * values[block]!
  }
  return score
}
