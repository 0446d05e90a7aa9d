import { expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import type { Page } from './platform.ts'
import { filterByTopic } from './topic-filter.ts'

const signal = new AbortController().signal
const idsOf = (requests: Page['requests'] = []) => requests.map(({ sourceId }) => sourceId)

async function fetchFiltered(page: Page | null, options = {}) {
  const platform = filterByTopic(
    scriptedPlatform('github', () => page),
    options,
  )
  return platform.fetchPage({ topic: 'dark mode', cursor: null, signal, pagesBefore: 0 })
}

it('splits a page into what joins the topic, what may, and what is left out', async () => {
  const about = foundRequest('about', { title: 'Modes: dark' })
  const excerpt = foundRequest('excerpt', { title: 'Colours', excerpt: true })
  const other = foundRequest('other', { title: 'A darker model' })
  const known = foundRequest('known')
  const page = await fetchFiltered({
    requests: [about, other, excerpt],
    offTopic: [known],
    discarded: { reply: 2 },
    nextCursor: 7,
  })
  expect(idsOf(page?.requests)).toEqual(['about'])
  expect(idsOf(page?.incomplete)).toEqual(['excerpt'])
  expect(idsOf(page?.offTopic)).toEqual(['known', 'other'])
  expect([page?.discarded, page?.nextCursor]).toEqual([{ offTopic: 1, reply: 2 }, 7])
})

it('the name of the source counts only where the platform says so', async () => {
  const page = { requests: [foundRequest('1', { title: 'Dark', sourceName: 'mode' })], nextCursor: null }
  expect((await fetchFiltered(page))?.requests).toHaveLength(1)
  expect((await fetchFiltered(page, { contextIsTopic: () => false }))?.requests).toHaveLength(0)
})

it('a platform without pages has none', async () => {
  expect(await fetchFiltered(null)).toBeNull()
})
