import { describe, expect, it } from 'vitest'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { fetchPageOrNull } from '../adapters/testing.ts'
import type { Page } from '../platform.ts'
import { attributeSources } from './attribution.ts'

// Holds (Data): requests from unlisted sources are visible only to accounts that named them

const listed = new Map([['github', new Set(['operator/repository'])]])
const found = (ownSource: string | null) => [foundRequest('1', { ownSource })]

function fetchWith(page: Page | null, sources?: string[]) {
  const github = attributeSources(platformMap(scriptedPlatform('github', () => page)), listed).get('github')!
  return fetchPageOrNull(github, sources ? { sources } : {})
}

const ownSourcesOf = (page: Page | null) =>
  [page?.requests, page?.incomplete, page?.offTopic].map((requests) => requests?.map(({ ownSource }) => ownSource))

describe('the requests of a page of sources', () => {
  it('have the source of the account, or none where the operator lists it', async () => {
    const requests = [...found('ada/engine'), ...found('operator/repository')]
    const page: Page = { requests, incomplete: found('ada/engine'), offTopic: found('ada/engine'), nextCursor: null }
    expect(ownSourcesOf(await fetchWith(page, ['ada/engine', 'operator/repository']))).toEqual([
      ['ada/engine', null],
      ['ada/engine'],
      ['ada/engine'],
    ])
  })

  it('have the only source of the page when the adapter names none', async () => {
    const page = { requests: found(null), nextCursor: null }
    expect(ownSourcesOf(await fetchWith(page, ['ada/engine']))[0]).toEqual(['ada/engine'])
  })

  it('may be those of the operator where the page is of listed sources too', async () => {
    const page = { requests: found(null), nextCursor: null }
    expect(ownSourcesOf(await fetchWith(page, ['ada/engine', 'operator/repository']))[0]).toEqual([null])
  })

  it.each([null, 'ada/other'])('are refused when their source is %j and not one of several', async (ownSource) => {
    const page = { requests: found(ownSource), nextCursor: null }
    await expect(fetchWith(page, ['ada/engine', 'ada/notes'])).rejects.toThrow('a request has no source of its page')
  })

  it('are as the adapter gives them when the job names no sources', async () => {
    const page = { requests: found(null), nextCursor: 2 }
    expect(await fetchWith(page)).toBe(page)
    expect(await fetchWith(null, ['ada/engine'])).toBe(null)
  })
})
