import { JsonTextError, memberLimit } from './json-text.ts'

/**
 * A step by which the receiver of a value builds it. Copying a value from one thread to another costs the receiver as much as
 * parsing it, so a large value is sent in pieces, each a list of steps.
 */
export type Step =
  | { step: 'open'; kind: 'list' | 'fields'; key: string | null }
  | { step: 'values'; values: unknown[] }
  | { step: 'fields'; fields: Record<string, unknown> }
  | { step: 'close' }

export type Piece = Step[]

/** In characters of strings, plus `valueWeight` for each value. Receiving a piece takes a fraction of a millisecond, a few for many small values. */
const pieceWeight = 64 * 1024
const valueWeight = 8

type Container = unknown[] | Record<string, unknown>

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** The weight of a value; when it exceeds `limit`, some number of at least `limit`. */
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
    // Assigning it would set the prototype; no platform has a field of this name.
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
 * Cuts a value that came from JSON into pieces of about `limit`; a single long string is never cut. The recursion is as deep as
 * the value is nested, which the parser has bounded.
 * @throws JsonTextError when a list or object in it has too many members, possibly after some pieces.
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
  /** Complete when all pieces were added. */
  readonly value: unknown
}

/** Builds a value from its pieces, in their order. */
export function createAssembly(): Assembly {
  // The value is its only item.
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
