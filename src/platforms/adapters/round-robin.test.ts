import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Json, PlannedWaitError, PlatformError, SourceRefusedError } from '../platform.ts'
import { failuresIn, fetchRoundRobin, type SourcePage, SourcesFailedError, unreachedSources } from './round-robin.ts'
import { fetchPageOrNull, platformError } from './testing.ts'

// Holds (Platforms): a job names each source without a page, including failed ones

type FetchFrom = (source: string, cursor: Json) => SourcePage

interface Setup {
  cursor?: Json
  pagesBefore?: number
  areIndependent?: boolean
  newestSince?: Date
  /** Of an account. */
  sources?: readonly string[]
}

function ask(sources: readonly string[], fetchFrom: FetchFrom, setup: Setup = {}) {
  const { areIndependent = false, ...request } = setup
  return fetchPageOrNull(
    {
      name: 'discourse',
      fetchPage: (request) =>
        fetchRoundRobin({
          sources,
          request,
          ...(areIndependent ? { hostOf: (source: string) => source } : {}),
          fetchFrom: async (source, cursor) => fetchFrom(source, cursor),
        }),
    },
    request,
  )
}

/** Fetches pages until none is left; a source has as many pages as `pages` says. */
async function askAll(pages: Record<string, number>, setup: Setup = {}): Promise<string[]> {
  const asked: string[] = []
  const fetchFrom: FetchFrom = (source, cursor) => {
    const page = typeof cursor === 'number' ? cursor : 0
    asked.push(`${source}${page}`)
    return { requests: [], nextCursor: page + 1 < pages[source]! ? page + 1 : null }
  }
  let cursor = setup.cursor ?? null
  do {
    const page = await ask(Object.keys(pages), fetchFrom, { ...setup, cursor })
    cursor = JSON.parse(JSON.stringify(page?.nextCursor ?? null))
  } while (cursor !== null)
  return asked
}

const failing = (code: 'bad_response' | 'unavailable' | 'unauthorized' | 'blocked', retryAt?: Date) => {
  throw new PlatformError(code, `it is ${code}`, retryAt ? { retryAt } : {})
}
const refused = () => {
  throw new SourceRefusedError('no such source')
}
const fine: SourcePage = { requests: [], nextCursor: null }

describe('round-robin sources', () => {
  it('deliver a page each, until none has more', async () => {
    expect(await askAll({ a: 1, b: 3, c: 2 })).toEqual(['a0', 'b0', 'c0', 'b1', 'c1', 'b2'])
    expect(await askAll({ a: 3 })).toEqual(['a0', 'a1', 'a2'])
  })

  it('deliver every page exactly once, wherever they begin', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
        fc.nat(100),
        async (counts, pagesBefore) => {
          const pages = Object.fromEntries(counts.map((count, index) => [`s${index}p`, count]))
          const expected = counts.flatMap((count, index) =>
            Array.from({ length: count }, (_, page) => `s${index}p${page}`),
          )
          expect((await askAll(pages, { pagesBefore })).sort()).toEqual(expected.sort())
        },
      ),
    )
  })

  it('go on from where earlier jobs for the topic stopped', async () => {
    expect(await askAll({ a: 1, b: 2, c: 1 }, { pagesBefore: 4 })).toEqual(['b0', 'c0', 'a0', 'b1'])
  })

  it('may be added and removed while a cursor is stored', async () => {
    const cursor = { turn: 1, next: { gone: 4 }, ended: ['a'] }
    expect(await askAll({ a: 9, added: 1 }, { cursor })).toEqual(['added0'])
  })

  it('start again from a cursor of another form', async () => {
    for (const cursor of [7, 'x', [], {}, { turn: -1, next: 3 }, { turn: 0.5, next: [], ended: 'a' }] as Json[]) {
      expect((await askAll({ a: 1, b: 1 }, { cursor })).sort()).toEqual(['a0', 'b0'])
    }
  })

  it('give no page when none has more', async () => {
    expect(await ask(['a'], () => fine, { cursor: { turn: 0, next: {}, ended: ['a'] } })).toBeNull()
    expect(await ask([], () => fine)).toBeNull()
  })

  it('newest first also say where to go on without the rest of the source', async () => {
    const more: FetchFrom = () => ({ requests: [], nextCursor: 1 })
    const newestSince = new Date('2026-03-20T00:00:00Z')
    const first = await ask(['a', 'b'], more, { newestSince })
    expect(first?.nextCursor).toEqual({ turn: 1, next: { a: 1 }, ended: [] })
    expect(first?.nextCursorIfKnown).toEqual({ turn: 1, next: {}, ended: ['a'] })
    const second = await ask(['a', 'b'], more, { newestSince, cursor: first!.nextCursorIfKnown! })
    expect(second?.nextCursorIfKnown).toBeNull()
    // Issues may have nothing new where discussions have.
    const parts: FetchFrom = () => ({ requests: [], nextCursor: 1, nextCursorIfKnown: 'discussions' })
    const third = await ask(['a'], parts, { newestSince })
    expect(third?.nextCursorIfKnown).toEqual({ turn: 0, next: { a: 'discussions' }, ended: [] })
    expect(await ask(['a', 'b'], more)).not.toHaveProperty('nextCursorIfKnown')
  })

  it('end when a source repeats its cursor', async () => {
    const stuck = await ask(['a'], () => ({ requests: [], nextCursor: { page: 2 } }), {
      cursor: { turn: 0, next: { a: { page: 2 } }, ended: [] },
    })
    expect(stuck).toEqual({ requests: [], nextCursor: null })
  })
})

describe('a source that fails', () => {
  it('for good is left out, and the next one answers in the same call', async () => {
    const page = await ask(['a', 'b', 'c'], (source) => (source === 'a' ? refused() : fine))
    expect(page?.nextCursor).toMatchObject({ turn: 2, next: {}, ended: ['a', 'b'] })
    expect(failuresIn(page!.nextCursor)).toEqual({ code: 'bad_response', message: 'no such source' })
  })

  it('ends the task with its error when no other has delivered anything', async () => {
    const error = await platformError(ask(['a', 'b'], refused), 'bad_response')
    expect(error.retryAt).toBeNull()
  })

  it('after the others have delivered everything does not fail the task, which names it', async () => {
    const cursor = { turn: 1, next: {}, ended: ['a'] }
    await expect(ask(['a', 'b'], refused, { cursor })).rejects.toBeInstanceOf(SourcesFailedError)
    const named = { sources: ['a', 'b'], cursor }
    await expect(ask(['a', 'b'], refused, named)).rejects.toMatchObject({
      code: 'bad_response',
      message: 'no such source',
    })
  })

  it('is told in full, the first ten of those with other reasons', async () => {
    const sources = Array.from({ length: 12 }, (_, index) => `source ${index}`)
    const refuse: FetchFrom = (source) => {
      if (source === 'source 11') return fine
      throw new SourceRefusedError(`${source} answered with status 404.`)
    }
    const page = await ask(sources, refuse)
    const told = sources.slice(0, 10).map((source) => `${source} answered with status 404.`)
    expect(failuresIn(page!.nextCursor)?.message).toBe(`${told.join(' ')} 1 more source failed.`)
  })

  it('is told until it delivers again, once for all sources with the same failure', async () => {
    const until = new Date('2026-05-05T12:01:00Z')
    const sources = ['a', 'b', 'c']
    const first = await ask(sources, (source) => (source === 'c' ? fine : failing('unavailable', until)), {
      areIndependent: true,
    })
    expect(failuresIn(first!.nextCursor)).toEqual({ code: 'unavailable', message: 'it is unavailable' })
    const more = { areIndependent: true, cursor: first!.nextCursor }
    const second = await ask(sources, (source) => (source === 'a' ? fine : failing('blocked')), more)
    expect(failuresIn(second!.nextCursor)).toEqual({ code: 'unavailable', message: 'it is unavailable' })
    expect(await ask(sources, () => fine, { ...more, cursor: second!.nextCursor })).toMatchObject({ nextCursor: null })
  })

  it('after it has delivered is an error, unless another one has more', async () => {
    const cursor = { turn: 0, next: { a: 1 }, ended: ['c'] }
    const brokenOff: FetchFrom = (source) => (source === 'a' ? failing('bad_response') : fine)
    await platformError(ask(['a', 'c'], brokenOff, { cursor, areIndependent: true }), 'bad_response')
    expect(await ask(['a', 'b', 'c'], brokenOff, { cursor, areIndependent: true })).not.toBeNull()
  })

  it('with a planned wait is skipped while others answer, then the task waits for the soonest', async () => {
    const soon = new Date('2026-05-05T12:01:00Z')
    const late = new Date('2026-05-05T12:09:00Z')
    const fetchFrom: FetchFrom = (source) =>
      source === 'c' ? fine : failing('unavailable', source === 'a' ? late : soon)
    const page = await ask(['a', 'b', 'c'], fetchFrom, { areIndependent: true })
    expect(page?.nextCursor).toMatchObject({ turn: 0, next: {}, ended: ['c'] })
    const cursor = page?.nextCursor ?? null
    const waiting = ask(['a', 'b', 'c'], fetchFrom, { areIndependent: true, cursor })
    expect((await platformError(waiting, 'unavailable')).retryAt).toEqual(soon)
  })

  it('and is paused is left out while others answer, and waited for when none does', async () => {
    const until = new Date('2026-05-05T12:01:00Z')
    const paused: FetchFrom = (source) => {
      if (source === 'b') return fine
      throw new PlannedWaitError('unavailable', 'it is paused', until)
    }
    const page = await ask(['a', 'b'], paused, { areIndependent: true })
    expect(page?.nextCursor).toMatchObject({ ended: ['a', 'b'], failed: { a: { message: 'it is paused' } } })
    const alone = await platformError(ask(['a'], paused, { areIndependent: true }), 'unavailable')
    expect(alone.retryAt).toEqual(until)
  })

  it('with its whole host is queried once, and the other sources of that host are left out too', async () => {
    const asked: string[] = []
    const page = await fetchPageOrNull({
      name: 'lemmy',
      fetchPage: (request) =>
        fetchRoundRobin({
          sources: ['a1', 'b1', 'a2', 'c1'],
          request,
          hostOf: ([host]) => host!,
          fetchFrom: async (source) => {
            asked.push(source)
            return source === 'c1' ? fine : source === 'a1' ? failing('blocked') : failing('unavailable', new Date())
          },
        }),
    })
    expect(asked).toEqual(['a1', 'b1', 'c1'])
    expect(page?.nextCursor).toMatchObject({ turn: 0, next: {}, ended: ['a1', 'a2', 'c1'] })
  })

  it.each(['unauthorized', 'unavailable', 'bad_response'] as const)(
    'with %s on a shared host ends or delays all sources of the host',
    async (code) => {
      let asked = 0
      const fetchFrom: FetchFrom = () => {
        asked += 1
        return failing(code)
      }
      await platformError(ask(['a', 'b'], fetchFrom), code)
      expect(asked).toBe(1)
    },
  )

  it('because of an error in our code is not hidden', async () => {
    const fetchFrom: FetchFrom = () => {
      throw new TypeError('a mistake')
    }
    await expect(ask(['a', 'b'], fetchFrom, { areIndependent: true })).rejects.toThrow('a mistake')
  })
})

describe('the sources that a task did not reach', () => {
  const pageOf: FetchFrom = (_source, cursor) => ({ requests: [], nextCursor: cursor === null ? 1 : null })
  const cursorAfter = async (pages: number) => {
    let cursor: Json = null
    for (let page = 0; page < pages; page++) cursor = (await ask(['a', 'b', 'c'], pageOf, { cursor }))!.nextCursor
    return cursor
  }

  it('are those without a page', async () => {
    expect(unreachedSources(['a', 'b', 'c'], await cursorAfter(1))).toEqual(['b', 'c'])
    expect(unreachedSources(['a', 'b', 'c'], await cursorAfter(2))).toEqual(['c'])
    expect(unreachedSources(['a', 'b', 'c'], await cursorAfter(5))).toEqual([])
  })

  it('are those that failed before their first page, also when all others have ended', async () => {
    const sources = ['a', 'b', 'c']
    const fetchFrom: FetchFrom = (source) => (source === 'b' ? refused() : fine)
    let cursor = (await ask(sources, fetchFrom, { sources }))!.nextCursor
    expect(unreachedSources(sources, cursor)).toEqual(['b', 'c'])
    cursor = (await ask(sources, fetchFrom, { sources, cursor }))!.nextCursor
    expect(unreachedSources(sources, cursor)).toEqual(['b'])
    expect(await ask(sources, fetchFrom, { sources, cursor })).toBeNull()
  })

  it('are not those that were searched in one of several ways', () => {
    const cursor = { turn: 2, next: { 'r/a flair': 1 }, ended: ['r/b words'] }
    expect(unreachedSources(['r/a', 'r/b', 'r/c', 'r/ab'], cursor)).toEqual(['r/c', 'r/ab'])
    expect(unreachedSources(['a:x', 'a:x y'], { turn: 0, next: { 'a:x y': 1 }, ended: [] })).toEqual(['a:x'])
  })

  it('are none when all have ended, or when the adapter searches them at once', async () => {
    expect(unreachedSources(['a', 'b', 'c'], await cursorAfter(6))).toEqual([])
    for (const cursor of [null, 2, 'next', [], { page: 2 }]) expect(unreachedSources(['a'], cursor)).toEqual([])
  })
})
