import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { callInThread, TooDearError } from './thread.ts'

// Holds (Platforms): threads that read foreign text have memory and time limits, while other work continues

const module = new URL('./thread-testing.ts', import.meta.url)
const signal = new AbortController().signal

it('a call in a thread gives its result, and sees no environment', async () => {
  const calls = [1, 2, 3].map((number) => callInThread<number>(module, 'double', number, { signal }))
  expect(await Promise.all(calls)).toEqual([2, 4, 6])
  expect(await callInThread(module, 'see', null, { signal })).toEqual([])
  await expect(callInThread(module, 'fail', null, { signal })).rejects.toThrow('as it is')
})

it('one that takes too much memory or time ends, and the next one is served', async () => {
  await expect(callInThread(module, 'takeAllMemory', null, { signal })).rejects.toThrow(TooDearError)
  const endless = callInThread(module, 'takeAllTime', null, { signal, limitMs: 50 })
  const next = callInThread(module, 'double', 2, { signal })
  await expect(endless).rejects.toThrow(TooDearError)
  expect(await next).toBe(4)
})

it('an abort ends it with its reason, also while it waits', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()]
  const calls = [running, waiting].map((one) => callInThread(module, 'takeAllTime', null, { signal: one.signal }))
  waiting.abort(new Error('no more'))
  running.abort(new Error('not needed'))
  await expect(calls[0]).rejects.toThrow('not needed')
  await expect(calls[1]).rejects.toThrow('no more')
})

it('one that fails while it is given up ends without a word', async () => {
  const given = new AbortController()
  const call = callInThread(module, 'fail', null, { signal: given.signal })
  await setTimeout(20)
  // It fails meanwhile, and this thread has not seen it yet.
  for (const end = performance.now() + 1_000; performance.now() < end; );
  given.abort(new Error('given up'))
  await expect(call).rejects.toThrow(/given up|as it is/)
  expect(await callInThread(module, 'double', 2, { signal })).toBe(4)
})
