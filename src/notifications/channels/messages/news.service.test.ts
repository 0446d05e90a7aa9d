import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { linesOf } from '../adapters/text.ts'
import { createDigest } from './digest.ts'
import type { Report } from './news.ts'
import { createRenderer } from './render.ts'

let opened: TestDatabase
let accountId: string
let watchId: string

beforeAll(async () => {
  opened = await openTestDatabase()
  const account = { name: 'test', tier: 'max' as const, created_at: new Date() }
  accountId = (await opened.database.insertInto('accounts').values(account).returning('id').executeTakeFirstOrThrow())
    .id
  const { rows } = await sql<{ id: string }>`
    insert into watches (account_id, name, topic, platforms, depth, schedule, timezone, monthly_credits, created_at, last_looked_at)
    values (${accountId}, 'Editors', 't', '{github}', 1, 'daily', 'UTC', 10, now(), now()) returning id`.execute(
    opened.database,
  )
  watchId = rows[0]!.id
})
afterAll(() => opened.close())

const item = (title: string, more: object = {}): Report['grown'][number] => ({
  wishId: 'w1',
  requestId: 'r1',
  title,
  excerpt: 'Its text.',
  votes: 1_234,
  votesGained: 12,
  requestsGained: 1,
  platforms: ['bluesky', 'hackernews'],
  status: 'in_progress',
  rise: null,
  ...more,
})
const none: Report = {
  isFirst: false,
  topic: 'dark mode',
  topicRise: null,
  rising: [],
  newWishes: [],
  grown: [],
  completed: [],
  declined: [],
  other: [],
  totals: { rising: 0, newWishes: 0, grown: 0, completed: 0, declined: 0, other: 0 },
  notCompared: 0,
}
const render = (report: Report | null, { of = accountId, comparesGoals = true } = {}) =>
  createRenderer({ readReport: async () => report, comparesGoals })({
    executor: opened.database,
    accountId: of,
    event: { eventId: 'e1', type: 'watch.news', subject: { watchId, reportId: 'p1' }, occurredAt: new Date(0) },
    now: new Date(),
    publicUrl: 'https://wishwell.example',
  })

it('news have a section for each list, with what grew and how many more there are', async () => {
  const grown = Array.from({ length: 12 }, (_, index) => item(`Wish ${index}`))
  const message = await render({
    ...none,
    newWishes: [item('  ')],
    grown,
    totals: { ...none.totals, newWishes: 1, grown: 40 },
  })
  expect(message).toMatchObject({
    id: 'e1',
    title: 'Editors: 1 new, 40 growing',
    sections: [
      { heading: 'New', items: [{ title: 'Untitled', url: 'https://wishwell.example/wishes/w1' }], more: 0 },
      { heading: 'Growing', more: 30 },
    ],
    data: { watchId, reportId: 'p1', watchName: 'Editors' },
  })
  expect(message!.sections[1]!.items).toHaveLength(10)
  expect(message!.sections[1]!.items[0]!.detail).toBe(
    '+12 votes · +1 request · 1,234 votes · Bluesky, Hacker News · in progress',
  )
})

it('the first report of a watch is a first look, since what was there before is no news', async () => {
  const message = await render({
    ...none,
    isFirst: true,
    newWishes: [item('Dark mode')],
    totals: { ...none.totals, newWishes: 11 },
  })
  expect(message).toMatchObject({
    title: 'Editors: first look: 11',
    sections: [{ heading: 'First look', items: [{ title: 'Dark mode', excerpt: 'Its text.' }] }],
    data: { isFirst: true },
  })
})

it('new wishes that were not compared with the goal of the watch have a sentence that says so, also in a digest', async () => {
  const report = { ...none, newWishes: [item('Dark mode')], grown: [item('Sync')], notCompared: 1 }
  const noteOf = async (comparesGoals: boolean) => (await render(report, { comparesGoals }))!.sections[0]!.note
  expect(await noteOf(false)).toBe('The goal changes nothing: this service has no model that compares news with it.')
  expect(await noteOf(true)).toBe('The model did not compare one of the new wishes with the goal.')
  const compared = (await render({ ...report, notCompared: 0 }, { comparesGoals: false }))!
  expect(compared.sections.some(({ note }) => note !== undefined)).toBe(false)
  const message = (await render(report))!
  const digest = createDigest()
  for (const id of ['1', '2']) digest.add({ ...message, id })
  const both = digest.toMessage({ id: '3', now: new Date() })!
  expect(both.sections[0]).toMatchObject({ heading: expect.stringMatching(/ – New$/), note: message.sections[0]!.note })
  expect(
    linesOf(both)
      .slice(0, 2)
      .map((line) => 'text' in line && line.text),
  ).toEqual([both.sections[0]!.heading, message.sections[0]!.note])
})

it('data of news are bounded, and say how many wishes were left out', async () => {
  const long = Array.from({ length: 50 }, () => item('ü'.repeat(1_000)))
  const message = await render({
    ...none,
    newWishes: long,
    declined: [item('x')],
    totals: { ...none.totals, newWishes: 80 },
  })
  const { newWishes, declined, leftOut } = message!.data as { newWishes: object[]; declined: object[]; leftOut: number }
  expect(Buffer.byteLength(JSON.stringify(message!.data))).toBeLessThan(70_000)
  expect(newWishes.length).toBeGreaterThan(20)
  expect(leftOut).toBe(51 - newWishes.length - declined.length)
  expect(leftOut).toBeGreaterThan(0)
})

it('nothing is told of a report that is gone or empty, or of the watch of another account', async () => {
  expect(await render(null)).toBeNull()
  expect(await render(none)).toBeNull()
  expect(await render({ ...none, newWishes: [item('x')] }, { of: '00000000-0000-4000-8000-000000000000' })).toBeNull()
  await sql`update watches set reports_quiet = true`.execute(opened.database)
  expect(await render(none)).toMatchObject({ title: 'Editors: nothing new', sections: [] })
})

it('a rise says how many people ask, and is gone with its report', async () => {
  const rise = { voices: 1_200, expected: 12.34, onceIn: 2_000 }
  const rising = await render({ ...none, rising: [item('Dark mode', { rise })], totals: { ...none.totals, rising: 1 } })
  expect(rising).toMatchObject({
    title: 'Editors: 1 rising',
    sections: [
      {
        heading: 'Rising',
        items: [{ detail: expect.stringContaining('1,200 people in seven days, 12.3 expected · 1,234 votes') }],
      },
    ],
    data: { rising: [{ rise }] },
  })
  const subject = { watchId, reportId: 'p1', wishId: null }
  const renderTopic = (report: Report | null) =>
    createRenderer({ readReport: async () => report, comparesGoals: true })({
      executor: opened.database,
      accountId,
      event: { eventId: 'e1', type: 'wish.rising', subject, occurredAt: new Date(0) },
      now: new Date(),
      publicUrl: 'https://wishwell.example',
    })
  expect(await renderTopic({ ...none, topicRise: rise })).toMatchObject({
    title: 'Editors: its topic is rising',
    paragraphs: ['More people than usual ask about dark mode: 1,200 people in seven days, 12.3 expected.'],
    data: { wishId: null, topic: 'dark mode', rise },
  })
  expect(await renderTopic(null)).toBeNull()
  expect(await renderTopic(none)).toBeNull()
})
