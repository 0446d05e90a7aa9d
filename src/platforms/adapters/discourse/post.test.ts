import { describe, expect, it } from 'vitest'
import { fetchPage, openTestBudget as openBudget, sendJson, startServer, testClient, testClock } from '../testing.ts'
import { readBlurb } from './post.ts'
import { createDiscourse } from './search.ts'
import { discourseStatus, discourseStatusOfTags } from './status.ts'

// Holds (Platforms): a page never waits to complete its excerpts

describe('the blurb of a post of Discourse', () => {
  it.each([
    ['Please add <span class="search-highlight">dark</span> mode.', 'Please add dark mode.', false],
    ['Please add dark mode, because at ni...', 'Please add dark mode, because at ni...', true],
    ['...ease add dark mode, because at ni...', '… add dark mode, because at ni...', true],
    ['…ease add dark mode', '… add dark mode', true],
    ['... Please add dark mode', '… Please add dark mode', true],
    ['...ダークモードを追加してください。お願いします。', '… ダークモードを追加してください。お願いします。', true],
    ['', '', false],
  ])('the blurb %j is read as %j, an excerpt: %s', (html, text, isExcerpt) => {
    expect(readBlurb(html)).toEqual({ text, isExcerpt })
  })
})

describe('the status of a topic of Discourse', () => {
  const open = { closed: false, archived: false }

  it.each([
    [open, 'open'],
    [{ ...open, closed: true }, 'closed'],
    [{ ...open, archived: true }, 'closed'],
    // The plugin "solved" closes topics by itself; an answer fulfils no wish.
    [{ ...open, has_accepted_answer: true }, 'open'],
    [{ ...open, closed: true, has_accepted_answer: true }, 'closed'],
    [{ ...open, tags: ['planned'] }, 'planned'],
    [{ ...open, tags: [{ id: 3, name: 'in-progress', slug: 'in-progress' }] }, 'in_progress'],
    [{ ...open, tags: ['ui', null, 7, 'completed'] }, 'completed'],
    [{ ...open, closed: true, tags: ['implemented'] }, 'completed'],
    [{ ...open, archived: true, tags: ['released'] }, 'completed'],
    [{ ...open, closed: true, tags: ['declined'] }, 'declined'],
    [{ ...open, closed: true, tags: ['duplicate'] }, 'duplicate'],
    [{ ...open, closed: true, tags: ['accepted'] }, 'planned'],
    [{ ...open, tags: ['planned', 'in-progress', 'completed'] }, 'completed'],
    [{ ...open, tags: 'planned' }, 'open'],
    [{ tags: ['planned'] }, 'planned'],
    [{}, null],
    [{ closed: 'yes' }, null],
  ])('the status of the topic %j is %s', (topic, status) => {
    expect(discourseStatus(topic)).toBe(status)
  })

  it.each([
    [[], null],
    [['ui', 'theme'], null],
    [['Status: Planned'], 'planned'],
    [['status-wont-do'], 'declined'],
    [["won't do"], 'declined'],
    [['wont_fix'], 'declined'],
    [['In Progress'], 'in_progress'],
    [['On-Roadmap'], 'planned'],
    [['incomplete'], null],
    [['not-planned', 'planned'], 'declined'],
  ])('the tags %j say %s', (tags, status) => {
    expect(discourseStatusOfTags(tags)).toBe(status)
  })
})

const excerpt = (id: number, blurb = 'I would like a dark mode, because at ni...') => ({
  topic_id: id,
  post_number: 1,
  blurb,
})
const pageOf = (id: number, first: object = {}) => ({
  id,
  title: `Topic ${id}`,
  post_stream: { posts: [{ post_number: 1, cooked: `<p>The whole text of ${id}.</p>`, ...first }, { post_number: 2 }] },
})
type AnswerTopic = (id: number) => [body: unknown, status?: number]

/** A forum whose search finds these posts, and whose topics answer as given. */
async function setUp(posts: Array<{ topic_id: number }>, answerTopic: AnswerTopic) {
  const { baseUrl, received } = await startServer((response, { path }) => {
    const id = /^\/t\/(\d+)\.json$/.exec(path)?.[1]
    if (id !== undefined) return sendJson(response, ...answerTopic(Number(id)))
    const topics = posts.map(({ topic_id: id }) => ({ id, title: `Topic ${id}` }))
    sendJson(response, { posts, topics, grouped_search_result: { error: null } })
  })
  const clock = testClock()
  const discourse = createDiscourse({ client: testClient(clock), clock, openBudget, urls: [`${baseUrl}/c/ideas/5`] })
  const topicsRead = () => received.flatMap(({ path }) => /^\/t\/(\d+)/.exec(path)?.[1] ?? []).map(Number)
  return { discourse, topicsRead }
}

describe('the excerpts of a Discourse forum', () => {
  it('are completed by the first post of their topic', async () => {
    const { discourse } = await setUp([excerpt(1), { ...excerpt(2), blurb: 'Short.' }], (id) => [pageOf(id)])
    expect((await fetchPage(discourse)).requests).toMatchObject([
      { description: 'The whole text of 1.', excerpt: false },
      { description: 'Short.', excerpt: false },
    ])
  })

  it('are completed five a page at most, those without the words of the topic first', async () => {
    const posts = [1, 2, 3, 4, 5, 6].map((id) => excerpt(id))
    const { discourse, topicsRead } = await setUp(
      [...posts, excerpt(7, 'At night it is too bright, so I...')],
      (id) => [pageOf(id)],
    )
    const { requests } = await fetchPage(discourse)
    expect(topicsRead().sort()).toEqual([1, 2, 3, 4, 7])
    expect(requests.map(({ excerpt }) => excerpt)).toEqual([false, false, false, false, true, true, false])
  })

  it.each<[string, AnswerTopic]>([
    ['is private', () => [{ errors: ['no'], error_type: 'invalid_access' }, 403]],
    ['is gone', () => [{ errors: ['no'], error_type: 'not_found' }, 410]],
    ['has another number', () => [pageOf(99)]],
    ['has lost its first post', (id) => [pageOf(id, { post_number: 4 })]],
    ['was hidden', (id) => [pageOf(id, { hidden: true })]],
    ['has no text', (id) => [pageOf(id, { cooked: '<img src="a.png">' })]],
    ['is no topic', () => [[]]],
    ['refuses', () => [{ error_type: 'rate_limit', errors: [], extras: { wait_seconds: 9 } }, 429]],
  ])('stay excerpts where the topic %s', async (_name, answerTopic) => {
    const { discourse } = await setUp([excerpt(1)], answerTopic)
    expect((await fetchPage(discourse)).requests).toMatchObject([{ description: excerpt(1).blurb, excerpt: true }])
  })

  it('stay excerpts when the forum allows no more requests: a page never waits for them', async () => {
    const { discourse, topicsRead } = await setUp(
      [1, 2, 3, 4, 5].map((id) => excerpt(id)),
      (id) => [pageOf(id)],
    )
    await fetchPage(discourse)
    const { requests } = await fetchPage(discourse, 'tabs')
    expect(requests.every(({ excerpt }) => excerpt)).toBe(true)
    expect(topicsRead()).toHaveLength(5)
  })
})
