import { describe, expect, it } from 'vitest'
import { fetchPage, unsaidFields } from '../testing.ts'
import { youtube as youtubeDefinition } from './settings.ts'
import { answering, comments, setUp } from './testing.ts'

// Holds (Platforms): a YouTube comment takes its video's topic only when it words a wish

describe('a comment on YouTube', () => {
  const read = async (...items: unknown[]) => {
    const { youtube } = await setUp(answering(['v1'], () => comments(items)))
    return (await fetchPage(youtube)).requests
  }
  const full = {
    kind: 'youtube#commentThread',
    id: 'Ug1',
    snippet: {
      videoId: 'v9',
      topLevelComment: {
        id: 'Ug1',
        snippet: {
          authorDisplayName: '@zoe',
          authorChannelUrl: 'http://www.youtube.com/@zoe',
          authorChannelId: { value: 'UC1' },
          videoId: 'v9',
          textDisplay: 'Please add a &lt;b&gt; mode.<br>Thanks',
          textOriginal: 'Please add a <b> mode.\nThanks & bye',
          likeCount: 12,
          publishedAt: '2024-05-06T07:08:09Z',
        },
      },
      totalReplyCount: 3,
      isPublic: true,
    },
  }
  const withSnippet = (snippet: object) => ({ id: 'Ug2', snippet: { topLevelComment: { id: 'Ug2', snippet } } })

  it('is read field by field', async () => {
    expect(await read(full)).toEqual([
      {
        sourceId: 'Ug1',
        title: 'Please add a <b> mode.',
        description: 'Please add a <b> mode.\nThanks & bye',
        votes: 12,
        tags: [],
        stars: null,
        commentCount: 3,
        sourceUrl: 'https://www.youtube.com/watch?v=v9&lc=Ug1',
        authorName: '@zoe',
        authorHandle: 'zoe',
        authorProfileUrl: 'http://www.youtube.com/@zoe',
        license: null,
        originalCreatedAt: new Date('2024-05-06T07:08:09Z'),
        ...unsaidFields,
        sourceName: 'About v1',
        refreshHandle: 'Ug1 v9 About v1',
      },
    ])
  })

  it('is read from the displayed text, plain or HTML, without the original text', async () => {
    const items = [
      withSnippet({ textDisplay: 'I wish a < b && c.' }),
      withSnippet({ textDisplay: 'I&#39;d wish<br>for <b>more</b>' }),
      withSnippet({ textDisplay: 'I wish', textOriginal: null }),
    ]
    expect((await read(...items)).map(({ description }) => description)).toEqual([
      'I wish a < b && c.',
      "I'd wish\nfor more",
      'I wish',
    ])
  })

  it('may lack everything but its id and text', async () => {
    expect(
      await read(withSnippet({ textOriginal: 'I wish', authorChannelId: { value: 'UC7' } }), {
        id: 'Ug3',
        snippet: {
          topLevelComment: {
            snippet: { textOriginal: 'I wish', authorDisplayName: 'Jo', likeCount: 'x', publishedAt: 5 },
          },
        },
      }),
    ).toMatchObject([
      {
        sourceUrl: 'https://www.youtube.com/watch?v=v1&lc=Ug2',
        authorName: null,
        authorHandle: null,
        authorProfileUrl: 'https://www.youtube.com/channel/UC7',
        stars: null,
        commentCount: null,
        votes: 0,
        originalCreatedAt: null,
      },
      { sourceId: 'Ug3', authorName: 'Jo', authorHandle: null, authorProfileUrl: null },
    ])
  })

  it('has its own first sentence as its title, and its video as its source', async () => {
    const [request] = await read(withSnippet({ textOriginal: 'Love it. Please add tabs.' }))
    expect(request).toMatchObject({ title: 'Love it.', sourceName: 'About v1' })
  })

  it('without an id is left out, and one without a text, a reply or one that is not public is counted too', async () => {
    const hidden = { ...full, snippet: { ...full.snippet, isPublic: false } }
    const held = withSnippet({ textOriginal: 'I wish', moderationStatus: 'heldForReview' })
    const reply = withSnippet({ textOriginal: 'I wish', parentId: 'Ug1' })
    const items = [
      {},
      null,
      'x',
      withSnippet({}),
      { snippet: null },
      { id: 'x', snippet: 7 },
      hidden,
      held,
      reply,
      full,
    ]
    const { youtube } = await setUp(answering(['v1'], () => comments(items)))
    const { requests, discarded } = await fetchPage(youtube)
    expect(requests).toHaveLength(1)
    expect(discarded).toEqual({ noText: 1, notPublic: 2, reply: 1 })
  })
})

describe('the topic of a comment on YouTube', () => {
  it.each([
    ['I wish it had chapters', true],
    ['PLEASE   add\nsubtitles', true],
    ['It would be nice to have tabs', true],
    ['Feature request: tabs', true],
    ['pls add this', true],
    ['can you please add an index', true],
    ['First!', false],
    ['Great video, thanks', false],
    ['I wished for that, and pleased I am', false],
  ])('can be that of its video only when it words a wish: %s', (description, expected) => {
    expect(youtubeDefinition.contextIsTopic?.({ title: '', description })).toBe(expected)
  })
})
