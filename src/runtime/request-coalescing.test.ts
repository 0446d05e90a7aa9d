import { expect, it } from 'vitest'
import { createCoalescedReads } from './request-coalescing.ts'

/** Reads of a value that changes; the test ends each read. */
function slowReads() {
  let value = 0
  const open: (() => void)[] = []
  const read = () => {
    const seen = value
    return new Promise<number>((resolve) => open.push(() => resolve(seen)))
  }
  const settle = async () => {
    open.shift()?.()
    // The read after it begins in a later turn.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { read, settle, open, write: () => void value++ }
}

it('equal concurrent reads share one, and each sees all writes from before its call', async () => {
  const share = createCoalescedReads()
  const { read, settle, open, write } = slowReads()
  const first = share('a', read)
  write()
  const later = [share('a', read), share('a', read), share('a', read)]
  expect(open).toHaveLength(1)
  await settle()
  expect(await first).toBe(0)
  expect(open).toHaveLength(1)
  write()
  const latest = share('a', read)
  await settle()
  expect(await Promise.all(later)).toEqual([1, 1, 1])
  await settle()
  expect(await latest).toBe(2)
  expect(open).toHaveLength(0)
})

it('different reads share nothing', async () => {
  const share = createCoalescedReads()
  const { read, open } = slowReads()
  const both = [share('a', read), share('b', read)]
  expect(open).toHaveLength(2)
  for (const end of open) end()
  expect(await Promise.all(both)).toEqual([0, 0])
})

it('a read that fails fails for its callers only, not for later ones', async () => {
  const share = createCoalescedReads()
  const begun = Promise.withResolvers<string>()
  const first = share('a', () => begun.promise)
  const fail = async () => {
    throw new Error('away')
  }
  const failing = [share('a', fail), share('a', fail)]
  begun.resolve('here')
  expect(await first).toBe('here')
  for (const one of await Promise.allSettled(failing)) expect(one.status).toBe('rejected')
  expect(await share('a', async () => 'back')).toBe('back')
})
