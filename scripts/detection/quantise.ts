import { blocks } from '../../src/requests/detection/features.ts'
import type { LinearModel } from '../../src/requests/detection/weights-file.ts'
import type { Weights } from './logistic.ts'

const maxInteger = 127
/** Of the weights of a block so many are cut off at the ends: a few large ones would leave the others no steps. */
const cutShare = 0.0005

/** Weights as integers of 8 bits, with a scale for each block. */
export function quantised({ weights, bias }: Weights): LinearModel {
  const integers = new Int8Array(weights.length)
  let start = 0
  const scales = blocks.map(({ bits }) => {
    const end = start + 2 ** bits
    const sizes = weights.slice(start, end).map(Math.abs).sort()
    const largest = sizes[Math.floor((1 - cutShare) * (sizes.length - 1))]!
    const scale = largest > 0 ? largest / maxInteger : 1
    for (let index = start; index < end; index += 1)
      integers[index] = Math.max(-maxInteger, Math.min(maxInteger, Math.round(weights[index]! / scale)))
    start = end
    return scale
  })
  return { weights: integers, scales, bias }
}
