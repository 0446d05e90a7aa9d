import { describe, expect, it } from 'vitest'
import {
  decode,
  inOneLine,
  isPresent,
  laterRecordingsOf,
  type Raw,
  type Recording,
  recordingsOf,
  unreadRecordings,
} from '../recordings-testing.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createAppstore } from './search.ts'

const clock = testClock()
const recordings = [...recordingsOf('appstore'), ...laterRecordingsOf('appstore')]
const isOf = (word: RegExp) => (one: Recording) => one.status === 200 && word.test(one.bytes.toString())
const pages = recordings.filter(isOf(/"feed"|<feed/))
const apps = recordings.filter(isOf(/"results"/))
const refusals = recordings.filter(({ status }) => status !== 200)

/** What the adapter has to find in a page, read apart from it. */
function reviewsOf({ bytes, name }: Recording): { id: string; title: string; version: string | undefined }[] {
  if (!name.endsWith('.xml')) {
    const entries = [JSON.parse(bytes.toString()).feed.entry ?? []].flat() as Raw[]
    return entries
      .filter((entry) => entry['im:rating'] !== undefined)
      .map((entry) => ({ id: entry.id.label, title: entry.title.label, version: entry['im:version']?.label }))
  }
  const entries = bytes.toString().match(/<entry\b[\s\S]*?<\/entry>/g) ?? []
  return entries
    .filter((entry) => entry.includes('<im:rating'))
    .map((entry) => {
      const of = (element: string) => new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`).exec(entry)?.[1]
      return { id: of('id')!, title: decode(of('title')!), version: of('im:version') }
    })
}

/** An App Store that answers by these bytes, as they were received: its first page, and what it knows of the app. */
async function setUp(page: Recording | null, app: Recording | null, source: string) {
  const rated = JSON.stringify({ results: [{ wrapperType: 'software', trackId: 1, userRatingCount: 3 }] })
  const { baseUrl } = await startServer((response, { path }) => {
    const isPage = path.includes('/customerreviews/')
    const isOther = page !== null && path.endsWith('/xml') !== page.name.endsWith('.xml')
    const body = isPage ? (isOther || page === null ? '{"feed":{}}' : page.bytes) : (app?.bytes ?? rated)
    response
      .writeHead(isPage ? (page?.status ?? 200) : 200, { 'content-type': 'text/javascript; charset=utf-8' })
      .end(body)
  })
  return createAppstore({ client: testClient(clock), clock, openBudget, baseUrl, apps: [source] })
}

describe.skipIf(!isPresent)('recorded answers of the App Store', () => {
  it.each(pages)('$name is read, review by review', async (page) => {
    const platform = await setUp(page, null, 'us/1')
    const expected = reviewsOf(page)
    if (expected.length === 0) return void (await platformError(fetchPage(platform), 'unavailable'))
    const { requests } = await fetchPage(platform)
    expect(requests.map(({ sourceId, title, tags }) => ({ sourceId, title: inOneLine(title), tags }))).toEqual(
      expected.map(({ id, title, version }) => ({
        sourceId: `1:${id}`,
        title: inOneLine(title),
        tags: version === undefined ? [] : [`v${version}`],
      })),
    )
    for (const { description, authorName, originalCreatedAt, sourceUrl } of requests) {
      expect(description).not.toBe('')
      expect(authorName).not.toBeNull()
      expect(originalCreatedAt).toBeInstanceOf(Date)
      expect(sourceUrl).toMatch(/^https:\/\/(?:itunes|apps)\.apple\.com\//)
    }
  })

  it.each(apps)('$name names the app, and says whether people rated it', async (app) => {
    const { trackId, trackName, userRatingCount = 0 } = JSON.parse(app.bytes.toString()).results[0] ?? {}
    const empty = await setUp(null, app, `fr/${trackId ?? 1}`)
    if (trackId === undefined) return void (await platformError(fetchPage(empty), 'bad_response'))
    if (userRatingCount > 0) await platformError(fetchPage(empty), 'unavailable')
    else expect((await fetchPage(empty)).requests).toEqual([])
    const entry = { id: { label: '5' }, title: { label: 'Tabs' }, 'im:rating': { label: '5' } }
    const bytes = Buffer.from(JSON.stringify({ feed: { entry } }))
    const full = await setUp({ name: 'page.json', status: 200, headers: {}, bytes }, app, `fr/${trackId}`)
    expect((await fetchPage(full)).requests).toMatchObject([{ sourceName: `${trackName} (App Store fr)` }])
  })

  it.each(refusals)('$name is an error', async (refusal) => {
    expect(refusal.bytes.length).toBeGreaterThan(0)
    await expect(fetchPage(await setUp(refusal, null, 'us/1'))).rejects.toThrow(/^appstore/)
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('appstore')).toEqual([])
})
