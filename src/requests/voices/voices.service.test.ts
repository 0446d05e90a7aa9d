import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { makeWish } from '../../../test/stored-wish.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'

// Holds (Data): one text from fifty accounts, or one person in five places, is one voice in every view, also after purges and corrections

const platforms = new Map<PlatformName, Platform>()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const text =
  'Please let me set a dark theme that follows the sunset. I work late and the white pages hurt my eyes, so I change it by hand each evening.'
const by = (author: string) => ({
  authorName: author,
  authorHandle: author,
  authorProfileUrl: `https://example.org/${author}`,
})
const posted = (sourceId: string, author: string, description = text): FoundRequest =>
  foundRequest(sourceId, { ...by(author), description })

/** Collects the requests, and makes one wish of them. */
async function wishOf(found: Partial<Record<PlatformName, FoundRequest[]>>): Promise<string> {
  const names = Object.keys(found) as PlatformName[]
  for (const name of names)
    platforms.set(
      name,
      scriptedPlatform(name, () => ({ requests: found[name]!, nextCursor: null })),
    )
  const { body } = await service.client.scrape({ topic: 'themes', platforms: names })
  await service.client.waitForJob(body.data.jobId)
  const stored = await service.database.selectFrom('requests').select('id').orderBy('source_id').execute()
  return makeWish(
    service.database,
    stored.map(({ id }) => id),
  )
}
async function voicesOf(wishId: string, client = service.client) {
  const listed = (await client.get('/api/v1/wishes')).body.data.results
  const { requestCount, voices, authors, crossPosts } = (await client.get(`/api/v1/wishes/${wishId}`)).body.data
  expect(listed).toMatchObject([{ wishId, requestCount, voices, authors, crossPosts }])
  return [requestCount, voices, authors, crossPosts]
}

it('fifty accounts that post one text are one voice', async () => {
  const greetings = ['', 'Hi! ', 'Dear developers, I love it. ', 'Cross-posted from our forum.\n\n']
  const github = Array.from({ length: 50 }, (_, number) =>
    posted(`${number}`, `account${number}`, `${greetings[number % 4]}${text}`),
  )
  expect(await voicesOf(await wishOf({ github }))).toEqual([50, 1, 50, 49])
})

it('one person who posts a text in five places is one voice, and the others are not', async () => {
  const wishId = await wishOf({
    github: [
      posted('1', 'ada'),
      posted('3', 'ada'),
      posted('2', 'bob', 'My eyes hurt when the lamp is off, so make the pages black at night.'),
    ],
    hackernews: [posted('1', 'ada1815'), posted('2', 'ada1815', 'Dark theme?')],
    stackexchange: [posted('1', '1815'), posted('2', 'countess')],
  })
  expect(await voicesOf(wishId)).toEqual([7, 2, 5, 4])
})

it('a correction is counted in the view of who made it, and a purge and a changed text at once in all', async () => {
  const github = [
    posted('1', 'ada'),
    posted('2', 'bob'),
    posted('3', 'eve', 'The pages are too bright for me after ten, give me a black one with grey letters.'),
  ]
  const wishId = await wishOf({ github })
  const other = await service.createAccount()
  expect(await voicesOf(wishId)).toEqual([3, 2, 3, 1])
  const { members } = (await service.client.get(`/api/v1/wishes/${wishId}`)).body.data
  const idOf = (handle: string) =>
    members.results.find((request: { authorHandle: string }) => request.authorHandle === handle)._id
  await service.client.post('/api/v1/corrections/requests', { requestId: idOf('eve'), isRequest: false })
  expect(await voicesOf(wishId)).toEqual([2, 1, 2, 1])
  expect(await voicesOf(wishId, other.client)).toEqual([3, 2, 3, 1])
  const rewritten = {
    ...github[1]!,
    description: 'Another text of bob, who asks for a theme that the system chooses for him.',
  }
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests: [rewritten], nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'dark', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  expect(await voicesOf(wishId)).toEqual([2, 2, 2, 0])
  await service.clientFor(testAdminKey).post('/api/admin/purge', { platform: 'github', author: 'ada' })
  expect(await voicesOf(wishId)).toEqual([1, 1, 1, 0])
  expect(await voicesOf(wishId, other.client)).toEqual([2, 2, 2, 0])
})
