import { expect, it } from 'vitest'
import { createCoalescedCalls } from './expansion.ts'

const never = () => new AbortController().signal

it('equal calls at the same moment share their work, later calls do not', async () => {
  const share = createCoalescedCalls<number>()
  let begun = 0
  const gate = Promise.withResolvers<void>()
  const work = async () => {
    begun += 1
    await gate.promise
    return begun
  }
  const calls = [share('a', never(), work), share('a', never(), work), share('a', never(), work)]
  gate.resolve()
  expect(await Promise.all(calls)).toEqual([1, 1, 1])
  expect(await share('a', never(), work)).toBe(2)
})

it('a call that aborts ends at once, and the work continues for the others', async () => {
  const share = createCoalescedCalls<string>()
  const gate = Promise.withResolvers<string>()
  const impatient = new AbortController()
  let aborted = false
  const work = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => {
      aborted = true
    })
    return gate.promise
  }
  const left = share('a', impatient.signal, work)
  const stayed = share('a', never(), work)
  impatient.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(aborted).toBe(false)
  gate.resolve('answer')
  expect(await stayed).toBe('answer')
})

it('the work is aborted when no call waits any more, and the next call starts it again', async () => {
  const share = createCoalescedCalls<string>()
  const impatient = new AbortController()
  let reason: unknown
  const work = (signal: AbortSignal) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        reject(signal.reason)
      })
    })
  const left = share('a', impatient.signal, work)
  impatient.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(reason).toEqual(new Error('gone'))
  expect(await share('a', never(), async () => 'new')).toBe('new')
})

it('a failure reaches all calls that wait, and is not cached', async () => {
  const share = createCoalescedCalls<string>()
  const fail = async () => {
    throw new Error('broken')
  }
  const calls = await Promise.allSettled([share('a', never(), fail), share('a', never(), fail)])
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await share('a', never(), async () => 'new')).toBe('new')
})
