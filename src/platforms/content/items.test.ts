import { describe, expect, it } from 'vitest'
import { foundRequest } from './fields.ts'
import { readItems } from './items.ts'

describe('the items of a page', () => {
  it('reads the first thousand items of a page', async () => {
    const read = () => foundRequest({ sourceId: '1', sourceUrl: '', title: 't', description: '' })
    expect((await readItems(Array(1_500).fill({}), read)).requests).toHaveLength(1_000)
  })

  it('counts what it leaves out, by reason', async () => {
    const wish = (title: string) => foundRequest({ sourceId: '1', sourceUrl: '', title, description: '' })
    const results = [wish('t'), wish(''), 'reply', 'removed', 'reply', 'notPublic', null] as const
    const { requests, discarded } = await readItems(
      results.map((_, index) => ({ index })),
      ({ index }) => results[index as number]!,
    )
    expect([requests.length, discarded]).toEqual([1, { removed: 1, noText: 1, reply: 2, notPublic: 1 }])
  })

  it('leaves out unreadable items, and other work runs between two items', async () => {
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const spin = () => {
      const before = performance.now()
      while (performance.now() - before < 5);
    }
    const { requests } = await readItems([{ id: 1 }, null, 'x', [], { id: 2 }, ...Array(10).fill({})], (fields) => {
      spin()
      return fields.id
        ? foundRequest({ sourceId: String(fields.id), sourceUrl: '', title: 't', description: '' })
        : null
    })
    clearInterval(counting)
    expect(requests.map((request) => request.sourceId)).toEqual(['1', '2'])
    expect(turns).toBeGreaterThan(5)
  })
})
