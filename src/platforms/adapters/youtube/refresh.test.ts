import { describe, expect, it } from 'vitest'
import { fetchPage, platformError, sendJson } from '../testing.ts'
import { answering, comments, refusal, setUp, thread } from './testing.ts'

// Holds (Jobs): what YouTube and Reddit omit from an answer is not deleted for that

const { signal } = new AbortController()

describe('comments of YouTube that are read again', () => {
  it('are read by the handles of a search, up to fifty in one call', async () => {
    const { youtube, received } = await setUp(answering(['v1'], () => comments([thread('Ug1'), thread('Ug2')])))
    const { requests } = await fetchPage(youtube)
    const handles = requests.map(({ refreshHandle }) => refreshHandle!)
    const again = await youtube.refresh!.read(handles, signal)
    expect(again).toEqual(requests.map((request, index) => ({ handle: handles[index], state: 'found', request })))
    const { query } = received.at(-1)!
    expect(query).toEqual({ part: 'snippet', id: 'Ug1,Ug2', textFormat: 'plainText', key: 'secret-key' })
    expect(youtube.refresh!.maxHandles).toBe(50)
    expect(new Set(handles.map((handle) => youtube.refresh!.groupOf(handle))).size).toBe(1)
  })

  it('are unreadable, neither gone nor missing, when the answer does not have them', async () => {
    const { youtube } = await setUp((response) => sendJson(response, comments([thread('Ug2'), thread('Ug9')])))
    expect(await youtube.refresh!.read(['Ug1 v1 A title', 'Ug2'], signal)).toMatchObject([
      { handle: 'Ug1 v1 A title', state: 'unreadable' },
      { handle: 'Ug2', state: 'found', request: { sourceId: 'Ug2' } },
    ])
  })

  it('are unreadable when their video has closed its comments', async () => {
    const { status, ...body } = refusal(403, 'commentsDisabled')
    const { youtube } = await setUp((response) => sendJson(response, body, status))
    expect(await youtube.refresh!.read(['Ug1 v1'], signal)).toEqual([{ handle: 'Ug1 v1', state: 'unreadable' }])
  })

  it('cost the quota of the other calls', async () => {
    const { status, ...body } = refusal(403, 'quotaExceeded', { domain: 'youtube.quota' })
    const { youtube } = await setUp((response) => sendJson(response, body, status))
    await platformError(youtube.refresh!.read(['Ug1 v1'], signal), 'quota_exhausted')
  })
})
