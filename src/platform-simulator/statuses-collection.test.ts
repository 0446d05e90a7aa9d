import { describe, expect, it } from 'vitest'
import type { Refreshed } from '../platforms/platform.ts'
import type { GivenRecord } from './corpus.ts'
import type { SimulatedRecord } from './records.ts'
import { collectPages, readAgain, trackers } from './trackers-testing.ts'

const wish = (title: string, more: Partial<SimulatedRecord> = {}): GivenRecord => {
  return { title: `Dark mode ${title}`, body: 'Please add it.', ...more }
}

/** One wish for each thing that can become of it. */
const records: GivenRecord[] = [
  wish('open'),
  wish('done', { resolution: 'completed' }),
  wish('refused', { resolution: 'not_planned' }),
  wish('again', { resolution: 'duplicate' }),
  wish('forgotten', { resolution: 'stale' }),
  wish('elsewhere', { resolution: 'moved' }),
  wish('deleted', { fate: 'deleted' }),
  wish('hidden', { fate: 'hidden' }),
]
const platforms = ['github', 'gitlab', 'stackexchange'] as const
const given = Object.fromEntries(platforms.map((name) => [name, records]))

describe.each(platforms)('the wishes of %s', (name) => {
  it('are found with what became of them, and not those that are gone or private', async () => {
    const made = await trackers({ records: given })
    const { requests } = await collectPages(made[name])
    const found = Object.fromEntries(requests.map(({ title, status }) => [title.replace('Dark mode ', ''), status]))
    expect(found).toEqual({
      open: 'open',
      done: 'completed',
      refused: 'declined',
      again: 'duplicate',
      forgotten: 'closed',
      elsewhere: 'closed',
    })
    for (const request of requests) {
      // Stack Exchange has no date of a tag, nor of a question that migrated.
      const hasDate = name !== 'stackexchange' || /again|forgotten/.test(request.title)
      const isChanged = request.status !== 'open' && hasDate
      expect(request.statusChangedAt instanceof Date).toBe(isChanged)
      if (isChanged) expect(request.statusChangedAt!.getTime()).toBeGreaterThan(request.originalCreatedAt!.getTime())
    }
    expect(requests.every(({ sourceName, refreshHandle }) => sourceName !== null && refreshHandle !== null)).toBe(true)
  })

  it('are read again in one request, with new votes, and the same ids', async () => {
    const made = await trackers({ records: given, token: 'good' })
    const { requests } = await collectPages(made[name])
    const stays = requests.filter(({ title }) => !title.includes('elsewhere'))
    made.simulator.bumpVotes(7)
    made.simulator.requests.length = 0
    const results = await readAgain(made[name], stays)
    expect(results.map((result) => result.state === 'found' && result.request)).toEqual(
      stays.map((request) => ({ ...request, votes: request.votes + 7 })),
    )
    // With a token it is read first whether the project of GitLab is still public.
    expect(made.simulator.requests.filter(({ path }) => !/^\/projects\/[^/]+$/.test(path))).toHaveLength(1)
  })
})

describe('wishes that disappeared', () => {
  const all = records.map((one, index) => ({ ...one, id: 4_000 + index }))
  const alive = all.map(({ fate: _, ...one }) => one)

  /** Finds all while they are alive, then reads them again where two are gone. */
  const run = async (name: (typeof platforms)[number], token?: string) => {
    const before = await trackers({ records: { [name]: alive }, ...(token ? { token } : {}) })
    const { requests } = await collectPages(before[name])
    const after = await trackers({ records: { [name]: all }, ...(token ? { token } : {}) })
    const { maxHandles } = after[name].refresh!
    const results: Refreshed[] = []
    for (let start = 0; start < requests.length; start += maxHandles) {
      results.push(...(await readAgain(after[name], requests.slice(start, start + maxHandles))))
    }
    const states = results.map(({ handle, state }) => {
      const { title } = requests.find(({ refreshHandle }) => refreshHandle === handle)!
      return [title.replace('Dark mode ', ''), state]
    })
    return Object.fromEntries(states)
  }

  it('are missing from a batch, which proves nothing', async () => {
    for (const name of platforms) {
      const states = await run(name, 'good')
      expect(states).toMatchObject({ open: 'found', forgotten: 'found', deleted: 'missing', hidden: 'missing' })
    }
  })

  it('are gone only where GitHub says so of a single issue, and one that moved is missing', async () => {
    expect(await run('github')).toEqual({
      open: 'found',
      done: 'found',
      refused: 'found',
      again: 'found',
      forgotten: 'found',
      elsewhere: 'missing',
      deleted: 'gone',
      hidden: 'missing',
    })
  })

  it.each(['left_out', 'error'] as const)(
    'are missing on Stack Exchange also in a request of their own: %s',
    async (how) => {
      const { stackexchange } = await trackers({
        records: { stackexchange: all },
        behaviours: { stackexchange: { missing: how } },
      })
      const results = await stackexchange.refresh!.read(['meta:4006'], new AbortController().signal)
      expect(results).toEqual([{ handle: 'meta:4006', state: 'missing' }])
    },
  )

  it.each([undefined, 'good'])('cannot be read while their source cannot, with the token %s', async (token) => {
    const { github, gitlab, stackexchange } = await trackers(token ? { token } : {})
    const { signal } = new AbortController()
    for (const handle of ['I_1 1 nosuch/desk#1', 'I_1 1 private/desk#1']) {
      expect(await github.refresh!.read([handle], signal)).toEqual([{ handle, state: 'unreadable' }])
    }
    expect(await gitlab.refresh!.read(['nosuch#1'], signal)).toEqual([{ handle: 'nosuch#1', state: 'unreadable' }])
    expect(await stackexchange.refresh!.read(['nosuch:1'], signal)).toEqual([
      { handle: 'nosuch:1', state: 'unreadable' },
    ])
  })
})
