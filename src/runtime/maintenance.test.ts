import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startMaintenance } from './maintenance.ts'

const silent = pino({ level: 'silent' })

it('maintenance runs every job slice by slice, within bounds, every few minutes, also after a failure', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let left = 3
  let endless = 0
  const jobs = {
    failing: () => Promise.reject(new Error('the database is away')),
    endless: async () => ++endless > 0,
    short: async () => --left > 0,
  }
  const maintenance = startMaintenance(jobs, silent)
  expect([left, endless]).toEqual([3, 0])
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  expect([left, endless]).toEqual([0, 100])
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  expect([left, endless]).toEqual([-1, 200])
  await maintenance.stop()
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect([left, endless]).toEqual([-1, 200])
})

it('maintenance waits for the slice under way when it is stopped, and begins no other', async () => {
  const slice = Promise.withResolvers<boolean>()
  let slices = 0
  const job = () => {
    slices++
    return slice.promise
  }
  const maintenance = startMaintenance({ job }, silent)
  void maintenance.run()
  await Promise.resolve()
  const stopped = maintenance.stop().then(() => 'stopped')
  expect(await Promise.race([stopped, Promise.resolve('waits')])).toBe('waits')
  slice.resolve(true)
  expect(await stopped).toBe('stopped')
  expect(slices).toBe(1)
})
