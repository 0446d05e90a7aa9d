import { describe, expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const never = new AbortController().signal

describe('the slots for requests under way', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('are never more than their number, first in, first out', async () => {
    const enter = createSlots(2)
    const order: number[] = []
    const leave: Array<() => void> = []
    for (const visitor of [1, 2, 3, 4]) {
      void enter(never).then((leaveIt) => {
        order.push(visitor)
        leave.push(leaveIt!)
      })
    }
    await settled()
    expect(order).toEqual([1, 2])
    leave[0]!()
    leave[0]!() // A second call frees nothing more.
    await settled()
    expect(order).toEqual([1, 2, 3])
    leave[1]!()
    await settled()
    expect(order).toEqual([1, 2, 3, 4])
  })

  it('are not lost to callers that stopped waiting', async () => {
    const enter = createSlots(1)
    const leave = await enter(never)
    const impatient = new AbortController()
    const waiting = enter(impatient.signal)
    impatient.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(enter(impatient.signal)).rejects.toThrow('enough')
    leave!()
    await expect(enter(never)).resolves.toBeTypeOf('function')
  })

  it('have a queue of as many callers as slots; further callers must try later', async () => {
    const enter = createSlots(2)
    const [leaveFirst] = await Promise.all([enter(never), enter(never)])
    const [next] = [enter(never), enter(never)]
    expect(await enter(never)).toBeNull()
    leaveFirst!()
    await next
    // One has left the queue, so one more may wait.
    const last = enter(never)
    expect(await enter(never)).toBeNull()
    await expect(Promise.race([last, settled()])).resolves.toBeUndefined()
  })
})
