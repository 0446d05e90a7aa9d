import { expect, it } from 'vitest'
import { createBounded } from './bounded.ts'

const { signal } = new AbortController()
const reached = () => new Promise(setImmediate)

it('operations above the bound begin in order, when others have ended or failed', async () => {
  const runBounded = createBounded(2)
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const ends = gates.map(({ promise }, index) =>
    runBounded(() => {
      begun.push(index)
      return promise
    }, signal).catch((reason: unknown) => reason),
  )
  expect(begun).toEqual([0, 1])
  gates[1]!.reject('broken')
  await reached()
  expect(begun).toEqual([0, 1, 2])
  gates[0]!.resolve()
  gates[2]!.resolve()
  gates[3]!.resolve()
  expect(await Promise.all(ends)).toEqual([undefined, 'broken', undefined, undefined])
  expect(begun).toEqual([0, 1, 2, 3])
})

it('an operation that was aborted while it waited never begins, and delays no other', async () => {
  const runBounded = createBounded(1)
  const first = Promise.withResolvers<void>()
  const begun: string[] = []
  const controller = new AbortController()
  const run = (name: string, work: Promise<void>, until = signal) =>
    runBounded(() => {
      begun.push(name)
      return work
    }, until)
  const running = run('first', first.promise)
  const aborted = run('aborted', Promise.resolve(), controller.signal)
  const last = run('last', Promise.resolve())
  controller.abort('too late')
  first.resolve()
  await expect(aborted).rejects.toBe('too late')
  await Promise.all([running, last])
  expect(begun).toEqual(['first', 'last'])
})
