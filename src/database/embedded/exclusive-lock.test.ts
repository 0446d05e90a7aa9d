import { describe, expect, it } from 'vitest'
import { runPart, setOwner } from '../../runtime/work-owner.ts'
import { createExclusiveLock } from './exclusive-lock.ts'

// Holds (Search, lists and export): in the embedded database, an account waits for at most one running statement of another

/** A lock whose operations take as long as the test says, by a clock of its own. */
function createLab() {
  let now = 0
  const lock = createExclusiveLock(() => now)
  const sent: string[] = []
  const running: { name: string; answer: () => void }[] = []
  const as = (owner: string, run: () => void) =>
    runPart({}, () => {
      setOwner(owner)
      run()
    })
  const send = (name: string) => () => {
    sent.push(name)
    return new Promise<void>((resolve) => running.push({ name, answer: resolve }))
  }
  return {
    sent,
    ask: (owner: string, ...names: string[]) =>
      as(owner, () => {
        for (const name of names) void lock.share(send(name))
      }),
    share: (name: string) => lock.share(send(name)),
    /** As a call whose account is not known yet. */
    askUnknown: (name: string) => runPart({}, () => void lock.share(send(name))),
    hold: (owner: string) => new Promise<() => void>((resolve) => as(owner, () => void lock.hold().then(resolve))),
    /** Answers the operation that was sent first, after so many milliseconds. */
    answer: async (ms: number) => {
      now += ms
      running.shift()?.answer()
      await new Promise((resolve) => setTimeout(resolve, 2))
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('the statements of the embedded database', () => {
  it('of one account are sent in the order of the calls, two before an answer', async () => {
    const lab = createLab()
    lab.ask('a', 'a1', 'a2', 'a3', 'a4')
    expect(lab.sent).toEqual(['a1', 'a2'])
    await lab.answer(10)
    expect(lab.sent).toEqual(['a1', 'a2', 'a3'])
  })

  it('of a call that began first go before those of later ones of its account', async () => {
    const lab = createLab()
    const [early, late] = [{}, {}]
    const askAs = (call: object, ...names: string[]) =>
      runPart(call, () => {
        setOwner('a')
        for (const name of names) void lab.share(name)
      })
    askAs(early, 'early 1')
    askAs(late, 'late 1', 'late 2', 'late 3', 'late 4')
    await lab.answer(10)
    askAs(early, 'early 2', 'early 3')
    for (let count = 0; count < 4; count++) await lab.answer(10)
    expect(lab.sent).toEqual(['early 1', 'late 1', 'late 2', 'early 2', 'early 3', 'late 3', 'late 4'])
  })

  it('of an account that comes while another has asked for much wait for two at most', async () => {
    const lab = createLab()
    lab.ask('heavy', ...Array.from({ length: 50 }, (_, index) => `heavy ${index}`))
    await lab.answer(300)
    lab.askUnknown('the lookup of a key')
    await lab.answer(300)
    expect(lab.sent.at(-1)).toBe('the lookup of a key')
    lab.ask('light', 'light')
    for (let count = 0; count < 2; count++) await lab.answer(300)
    expect(lab.sent.at(-1)).toBe('light')
  })

  it('of an account that uses little go before what others have asked for, however much that is', async () => {
    const lab = createLab()
    lab.ask('light', 'light 0')
    await lab.answer(1)
    lab.ask('heavy', ...Array.from({ length: 50 }, (_, index) => `heavy ${index}`))
    await lab.answer(100)
    for (let call = 1; call <= 20; call++) {
      lab.ask('light', `light ${call}`)
      // The heavy one that runs, and then the light one.
      await lab.answer(100)
      expect(lab.sent.at(-1), `after ${lab.sent.length}`).toBe(`light ${call}`)
      await lab.answer(1)
    }
    const heavy = lab.sent.filter((name) => name.startsWith('heavy'))
    expect(heavy).toEqual(heavy.map((_, index) => `heavy ${index}`))
    expect(heavy.length).toBeGreaterThanOrEqual(20)
  })

  it('of accounts that use the same take turns', async () => {
    const lab = createLab()
    lab.ask('x', 'x')
    lab.ask('y', 'y')
    for (const owner of ['a', 'b', 'c']) lab.ask(owner, `${owner}1`, `${owner}2`)
    for (let count = 0; count < 8; count++) await lab.answer(10)
    expect(lab.sent.slice(2, 5).toSorted()).toEqual(['a1', 'b1', 'c1'])
    expect(lab.sent.slice(5).toSorted()).toEqual(['a2', 'b2', 'c2'])
  })

  it('of an account that used much are not put off for ever', async () => {
    const lab = createLab()
    lab.ask('light', 'light')
    lab.ask('heavy', 'heavy 1', 'heavy 2')
    await lab.answer(1)
    lab.ask('light', 'light 0')
    await lab.answer(60_000)
    let calls = 0
    for (; !lab.sent.includes('heavy 2'); calls++) {
      expect(calls).toBeLessThan(100)
      lab.ask('light', `light ${calls}`)
      await lab.answer(100)
    }
    expect(calls).toBeGreaterThan(10)
  })

  it('are not sent while an owner holds the database, and its second release changes nothing', async () => {
    const lab = createLab()
    const release = await lab.hold('a')
    lab.ask('b', 'b')
    expect(lab.sent).toEqual([])
    release()
    await lab.answer(0)
    expect(lab.sent).toEqual(['b'])
    await lab.answer(1)
    await lab.hold('b')
    const second = lab.hold('a')
    release()
    expect(await Promise.race([second.then(() => 'held'), Promise.resolve('waits')])).toBe('waits')
  })
})
