import { JsonTextError, memberLimit } from './json-text.ts'

/**
 * A value on its way between two threads. Copying one from thread to thread costs the receiver as much as parsing it, so a
 * large one goes in pieces: each holds steps by which the receiver builds it.
 */
export type Step =
  | { step: 'open'; kind: 'list' | 'fields'; key: string | null }
  | { step: 'values'; values: unknown[] }
  | { step: 'fields'; fields: Record<string, unknown> }
  | { step: 'close' }

export type Piece = Step[]

/** In characters of strings, with a few for each value: a fraction of a millisecond to read, a few where it is all small values. */
const pieceWeight = 64 * 1024
const valueWeight = 8

type Container = unknown[] | Record<string, unknown>

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** What a value weighs, or at least `limit` when it is more. */
function weigh(value: unknown, limit: number): number {
  if (typeof value === 'string') return valueWeight + value.length
  if (!isContainer(value)) return valueWeight
  let weight = valueWeight
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight < limit; index++) weight += weigh(value[index], limit - weight)
    return weight
  }
  for (const key in value) {
    weight += key.length + weigh(value[key], limit - weight)
    if (weight >= limit) return weight
  }
  return weight
}

function* listSteps(list: unknown[], limit: number): Generator<[Step, number]> {
  if (list.length > memberLimit) throw new JsonTextError('crowded')
  let values: unknown[] = []
  let sum = 0
  for (const value of list) {
    const weight = weigh(value, limit)
    const isHeavy = weight >= limit && isContainer(value)
    if (!isHeavy) {
      values.push(value)
      sum += weight
    }
    if (sum >= limit || (isHeavy && values.length > 0)) {
      yield [{ step: 'values', values }, sum]
      ;[values, sum] = [[], 0]
    }
    if (isHeavy) yield* stepsOf(value, null, limit)
  }
  if (values.length > 0) yield [{ step: 'values', values }, sum]
}

function* fieldSteps(object: Record<string, unknown>, limit: number): Generator<[Step, number]> {
  const keys = Object.keys(object)
  if (keys.length > memberLimit) throw new JsonTextError('crowded')
  let fields: Record<string, unknown> = {}
  let sum = 0
  for (const key of keys) {
    // Setting it is no field but the prototype; no platform has one of this name.
    if (key === '__proto__') continue
    const value = object[key]
    const weight = weigh(value, limit)
    if (weight >= limit && isContainer(value)) {
      yield* stepsOf(value, key, limit)
      continue
    }
    fields[key] = value
    sum += key.length + weight
    if (sum < limit) continue
    yield [{ step: 'fields', fields }, sum]
    ;[fields, sum] = [{}, 0]
  }
  if (sum > 0) yield [{ step: 'fields', fields }, sum]
}

function* stepsOf(value: Container, key: string | null, limit: number): Generator<[Step, number]> {
  const isList = Array.isArray(value)
  yield [{ step: 'open', kind: isList ? 'list' : 'fields', key }, valueWeight]
  yield* isList ? listSteps(value, limit) : fieldSteps(value, limit)
  yield [{ step: 'close' }, valueWeight]
}

/**
 * A value that came from JSON, in pieces of about `limit`; a single long string is never cut. Recursion ends where the nesting
 * of the value does, which the parser has bounded.
 * @throws JsonTextError when a list or object in it has too many members, maybe after some pieces.
 */
export function* piecesOf(value: unknown, limit = pieceWeight): Generator<Piece> {
  if (!isContainer(value)) return yield [{ step: 'values', values: [value] }]
  let piece: Piece = []
  let sum = 0
  for (const [step, weight] of stepsOf(value, null, limit)) {
    if (sum > 0 && sum + weight > limit) {
      yield piece
      ;[piece, sum] = [[], 0]
    }
    piece.push(step)
    sum += weight
  }
  yield piece
}

export interface Assembly {
  add(piece: Piece): void
  /** Once all pieces were added. */
  readonly value: unknown
}

/** Builds a value from its pieces, in their order. */
export function createAssembly(): Assembly {
  // What the value is put into, as if it were the only one of a list.
  const root: unknown[] = []
  const open: Container[] = [root]
  const put = (container: Container, key: string | null, value: unknown) => {
    if (Array.isArray(container)) container.push(value)
    else container[key!] = value
  }
  const take = (step: Step): void => {
    const container = open.at(-1)!
    if (step.step === 'open') {
      const opened: Container = step.kind === 'list' ? [] : {}
      put(container, step.key, opened)
      open.push(opened)
    } else if (step.step === 'close') open.pop()
    else if (step.step === 'fields') Object.assign(container, step.fields)
    else for (const value of step.values) (container as unknown[]).push(value)
  }
  return {
    add: (piece) => {
      for (const step of piece) take(step)
    },
    get value() {
      return root[0]
    },
  }
}
