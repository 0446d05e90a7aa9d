/** A row of features with its label and how much it counts. */
export interface Example {
  features: readonly number[]
  label: boolean
  weight: number
}

export interface Model {
  weights: number[]
  bias: number
}

export const probability = ({ weights, bias }: Model, features: readonly number[]): number =>
  1 / (1 + Math.exp(-weights.reduce((sum, weight, index) => sum + weight * features[index]!, bias)))

/** Solves a symmetric system of linear equations by Gaussian elimination with pivots. */
function solve(matrix: number[][], right: number[]): number[] {
  const size = right.length
  const rows = matrix.map((row, index) => [...row, right[index]!])
  for (let column = 0; column < size; column += 1) {
    let pivot = column
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row
    }
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    for (let row = column + 1; row < size; row += 1) {
      const factor = rows[row]![column]! / rows[column]![column]!
      for (let index = column; index <= size; index += 1) rows[row]![index]! -= factor * rows[column]![index]!
    }
  }
  const solution = Array<number>(size).fill(0)
  for (let row = size - 1; row >= 0; row -= 1) {
    let value = rows[row]![size]!
    for (let index = row + 1; index < size; index += 1) value -= rows[row]![index]! * solution[index]!
    solution[row] = value / rows[row]![row]!
  }
  return solution
}

/**
 * Logistic regression with an L2 penalty on the weights, not on the bias, by Newton's method (iteratively reweighted least squares).
 */
export function fitModel(examples: readonly Example[], penalty = 1, steps = 12): Model {
  const size = examples[0]!.features.length
  const model: Model = { weights: Array<number>(size).fill(0), bias: 0 }
  for (let step = 0; step < steps; step += 1) {
    const gradient = Array<number>(size + 1).fill(0)
    const hessian = gradient.map(() => Array<number>(size + 1).fill(0))
    for (let index = 0; index < size; index += 1) {
      gradient[index] = penalty * model.weights[index]!
      hessian[index]![index] = penalty
    }
    hessian[size]![size] = 1e-9
    for (const { features, label, weight } of examples) {
      const expected = probability(model, features)
      const error = weight * (expected - (label ? 1 : 0))
      const curvature = weight * expected * (1 - expected)
      for (let row = 0; row <= size; row += 1) {
        const value = row === size ? 1 : features[row]!
        gradient[row]! += error * value
        for (let column = 0; column <= row; column += 1) {
          hessian[row]![column]! += curvature * value * (column === size ? 1 : features[column]!)
        }
      }
    }
    for (let row = 0; row <= size; row += 1) {
      for (let column = row + 1; column <= size; column += 1) hessian[row]![column] = hessian[column]![row]!
    }
    const change = solve(hessian, gradient)
    for (let index = 0; index < size; index += 1) model.weights[index]! -= change[index]!
    model.bias -= change[size]!
  }
  return model
}
