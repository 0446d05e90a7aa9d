import { blockCount, modelSize } from '../../src/requests/detection/features.ts'
import { probabilityOf } from '../../src/requests/detection/weights-file.ts'
import type { Matrix } from './matrix.ts'
import { seededRandom, shuffle } from './random.ts'

export interface Weights {
  weights: Float32Array
  bias: number
}

const penalty = 3e-5
const epochs = 6
const firstRate = 4
/** The bias learns more slowly than the weights: it is in every text. */
const biasRate = 0.01

/** The sum of the weights of a row, each block with its value. */
function sumOf({ rows, ends, values }: Matrix, position: number, weights: Float32Array): number {
  const row = rows[position]!
  let sum = 0
  let index = 0
  for (let block = blockCount * position; block < blockCount * (position + 1); block += 1) {
    let blockSum = 0
    for (const end = ends[block]!; index < end; index += 1) blockSum += weights[row[index]!]!
    sum += blockSum * values[block]!
  }
  return sum
}

function addTo({ rows, ends, values }: Matrix, position: number, weights: Float32Array, amount: number): void {
  const row = rows[position]!
  let index = 0
  for (let block = blockCount * position; block < blockCount * (position + 1); block += 1) {
    const change = amount * values[block]!
    for (const end = ends[block]!; index < end; index += 1) weights[row[index]!]! += change
  }
}

/**
 * Logistic regression with an L2 penalty, by stochastic gradient descent with the falling steps of Pegasos (Shalev-Shwartz et al., 2007), where a
 * common scale shrinks the weights; those of the last half of the epochs are averaged. The same for the same seed.
 * @param importance of each row; rows of importance 0 are not used.
 */
export function train(matrix: Matrix, labels: Uint8Array, importance: Float32Array, seed: number): Weights {
  const chosen = Uint32Array.from([...labels.keys()].filter((position) => importance[position]! > 0))
  const random = seededRandom(seed)
  const weights = new Float32Array(modelSize)
  const sums = new Float64Array(modelSize)
  let [scale, bias, biasSum, summed, step] = [1, 0, 0, 0, 0]
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(chosen, random)
    for (const position of chosen) {
      step += 1
      const expected = probabilityOf(sumOf(matrix, position, weights) * scale + bias)
      const rate = firstRate / (1 + firstRate * penalty * step)
      const gradient = (expected - labels[position]!) * importance[position]!
      scale *= 1 - rate * penalty
      addTo(matrix, position, weights, (-rate * gradient) / scale)
      bias -= rate * biasRate * gradient
    }
    if (epoch < epochs / 2) continue
    for (let index = 0; index < modelSize; index += 1) sums[index]! += weights[index]! * scale
    biasSum += bias
    summed += 1
  }
  return { weights: Float32Array.from(sums, (sum) => sum / summed), bias: biasSum / summed }
}
