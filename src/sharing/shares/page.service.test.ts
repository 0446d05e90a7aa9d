import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { makeWish } from '../../../test/stored-wish.ts'
import { platformDefinitions } from '../../platforms/registry.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { textsFor } from '../pages/texts.ts'
import { idOf, makeShare, openShare, putMark, storeRequests } from './testing.ts'

// Holds (Search, lists and export): a shared page shows its account's present view; purges and corrections apply at the next read
// Holds (Platforms): a page without a key omits text and author where the platform forbids it, and otherwise credits author, source and licence
// Holds (HTTP and secrets): a shared page has no script, loads nothing, and shows everything as text

let service: TestService
let now = new Date('2026-06-01T12:00:00.000Z')
beforeAll(async () => {
  const environment = { PUBLIC_URL: 'https://wishes.example.org', REMOVAL_CONTACT: 'privacy@example.org' }
  service = await startTestService({ clock: { now: () => now }, environment })
})
beforeEach(async () => {
  await service.reset()
  // Later in each test: the limits of addresses are those of a minute.
  now = new Date(now.getTime() + 3_600_000)
})
afterAll(() => service.stop())

const ids = (...sources: string[]) => Promise.all(sources.map((source) => idOf(service, source)))
const share = async (body: object, client = service.client) => (await makeShare(client, body)).url
const open = async (url: string) => (await openShare(service, url)).text
const purge = (id: string) => purgeRequests(service.database, { id, suppress: false, dryRun: false, now })

/** The elements of a page with their attributes, and its text as a browser shows it. */
function parse(page: string) {
  const elements: { name: string; attributes: Record<string, string> }[] = []
  let text = ''
  const parser = new Parser({
    onopentag: (name, attributes) => void elements.push({ name, attributes }),
    ontext: (piece) => {
      text += piece
    },
  })
  parser.end(page)
  return { elements, text: text.replace(/\s+/g, ' '), names: [...new Set(elements.map(({ name }) => name))] }
}

const linkTo = (page: string, href: string) =>
  parse(page).elements.find(({ name, attributes }) => name === 'a' && attributes.href === href)?.attributes

/** A wish of two requests on GitHub and one on Stack Exchange. */
async function storeWish(): Promise<string> {
  await storeRequests(service, [
    foundRequest('1', { title: 'Dark mode, please', votes: 9, status: 'planned', description: 'The page hurts.' }),
    foundRequest('2', { title: 'Dark theme', votes: 4, status: 'open', originalCreatedAt: new Date('2025-03-01') }),
  ])
  const answered = foundRequest('3', {
    title: 'Is there a dark mode?',
    votes: 2,
    stars: 4,
    license: 'CC BY-SA 4.0',
    authorName: 'Bob',
    authorProfileUrl: 'https://ux.stackexchange.com/users/7',
    sourceUrl: 'https://ux.stackexchange.com/q/3',
    sourceName: 'ux.stackexchange.com',
  })
  await storeRequests(service, [answered], { platform: 'stackexchange' })
  return makeWish(service.database, await ids('1', '2', '3'))
}

describe('the page of a wish', () => {
  it('has its numbers, its requests by platform, and whose each text is', async () => {
    const wishId = await storeWish()
    const page = await open(await share({ wishId }))
    const { text, elements } = parse(page)
    expect(elements.find(({ name }) => name === 'html')?.attributes).toEqual({ lang: 'en' })
    for (const part of [
      'Dark mode, please 15 votes · 3 requests · 2 voices · GitHub, Stack Exchange · planned',
      'First asked for on 1 Mar 2025, last on 2 Jan 2026.',
      'GitHub 2 requests · 13 votes',
      'The page hurts. 9 votes · planned · Ada Lovelace · 2 Jan 2026',
      'Stack Exchange 1 request · 2 votes',
      '2 votes · 4 of 5 stars · Bob · 2 Jan 2026 · ux.stackexchange.com · CC BY-SA 4.0 · Open on Stack Exchange',
      'This address works until 1 Jul 2026',
      'privacy@example.org',
    ])
      expect(text).toContain(part)
    expect(elements.filter(({ name }) => name === 'rect').length).toBeGreaterThan(1)
    expect(linkTo(page, 'https://example.org/1')?.rel).toBe('noopener nofollow ugc')
    // Stack Exchange asks for links that search engines follow.
    for (const address of ['https://ux.stackexchange.com/q/3', 'https://ux.stackexchange.com/users/7'])
      expect(linkTo(page, address)?.rel).toBe('noopener')
    expect(linkTo(page, 'https://creativecommons.org/licenses/by-sa/4.0/')).toBeDefined()
  })

  it('is in German for who prefers it, with German dates and numbers, and says what it varies by', async () => {
    const wishId = await storeWish()
    await putMark(service.client, wishId, { mark: 'planned' })
    const url = await share({ wishId })
    const languageOf = async (accepted: string, address = url) => {
      const { headers, text } = await openShare(service, address, accepted)
      expect(headers.get('vary')).toBe('Accept-Language, Accept-Encoding')
      return parse(text).elements.find(({ name }) => name === 'html')?.attributes.lang
    }
    for (const german of ['de', 'de-AT', 'DE-de,en;q=0.5', 'fr,de;q=0.8,en;q=0.7'])
      expect(await languageOf(german)).toBe('de')
    for (const other of ['en-US,en;q=0.9,de;q=0.8', 'fr', '*', 'de;q=0', ';;q=x,'])
      expect(await languageOf(other)).toBe('en')
    expect(await languageOf('de', `https://wishes.example.org/s/${'A'.repeat(22)}`)).toBe('de')
    const { text } = parse((await openShare(service, url, 'de')).text)
    for (const part of [
      '15 Stimmen · 3 Anfragen · 2 Personen · GitHub, Stack Exchange · geplant',
      'Zuerst angefragt am 01.03.2025, zuletzt am 02.01.2026.',
      'Als geplant markiert',
      'Stack Exchange 1 Anfrage · 2 Stimmen (Wertung: Zustimmungen abzüglich Ablehnungen)',
      'Diese Adresse gilt bis 01.07.2026',
    ])
      expect(text).toContain(part)
    for (const { votes } of platformDefinitions) expect(textsFor('de').votesOf(2, votes)).not.toContain(votes)
  })

  it('shows the mark of the account, its notes only where they are shared, and nothing of another account', async () => {
    const wishId = await storeWish()
    const other = await service.createAccount()
    await putMark(service.client, wishId, { mark: 'planned', note: 'Ask Eve first', starred: true })
    await putMark(other.client, wishId, { mark: 'done', note: 'Of the others' })
    const [plain, noted] = [await open(await share({ wishId })), await open(await share({ wishId, withNotes: true }))]
    expect(plain).toContain('Marked as planned')
    expect(plain).not.toContain('Eve')
    expect(noted).toContain('Ask Eve first')
    for (const page of [plain, noted]) expect(page).not.toMatch(/done|others/)
    expect(await open(await share({ wishId }, other.client))).toContain('Marked as done')
  })

  it('says who made it only by the title that was given', async () => {
    const wishId = await storeWish()
    const named = await open(await share({ wishId, title: 'What <we> plan' }))
    expect(named).toContain('<p class="label" dir="auto">What &lt;we&gt; plan</p>')
    expect(parse(named).text).toContain('What <we> plan · Wishwell')
    const { name } = await service.database.selectFrom('accounts').select('name').executeTakeFirstOrThrow()
    expect(await open(await share({ wishId }))).not.toContain(name)
  })

  it('lives: what was purged is gone at the next read, and with the last of it the page', async () => {
    const wishId = await storeWish()
    const url = await share({ wishId })
    expect(await open(url)).toContain('Dark theme')
    const [one, two, three] = (await ids('1', '2', '3')) as [string, string, string]
    await purge(two)
    const without = await open(url)
    expect(without).not.toContain('Dark theme')
    expect(parse(without).text).toContain('11 votes · 2 requests')
    await purge(one)
    expect(parse(await open(url)).text).toContain('Is there a dark mode? 2 votes · 1 request')
    await purge(three)
    expect((await openShare(service, url)).status).toBe(404)
  })

  it('shows what its account corrected, and follows a wish that became a part of another one', async () => {
    const wishId = await storeWish()
    await storeRequests(service, [foundRequest('4', { title: 'Night colours', votes: 1 })])
    const [two, four] = (await ids('2', '4')) as [string, string]
    const other = await service.createAccount()
    const [own, others, ofFour] = [
      await share({ wishId }),
      await share({ wishId }, other.client),
      await share({ wishId: four.toUpperCase() }),
    ]
    await service.client.post('/api/v1/corrections/requests', { requestId: two, isRequest: false })
    expect(await open(own)).not.toContain('Dark theme')
    expect(await open(others)).toContain('Dark theme')
    const merge = { kind: 'merge', wishId, otherWishId: four }
    const merged = await service.client.post('/api/v1/corrections/wishes', merge)
    expect(merged.status, merged.text).toBe(200)
    for (const url of [own, ofFour]) expect(parse(await open(url)).text).toContain('12 votes · 3 requests')
    expect(await open(others)).not.toContain('Night colours')
  })
})

describe('platforms that allow no texts without a key', () => {
  const secret = (sourceId: string, votes: number) =>
    foundRequest(sourceId, {
      title: `Title of ${sourceId}`,
      description: `Text of ${sourceId}`,
      authorName: `Author of ${sourceId}`,
      authorProfileUrl: `https://example.org/people/${sourceId}`,
      votes,
    })

  it.each(['x', 'bluesky', 'reddit'])('are counted and linked: %s', async (platform) => {
    await storeRequests(service, [secret('a', 50), secret('b', 40)], { platform })
    await storeRequests(service, [foundRequest('1', { title: 'Dark mode', votes: 3 })])
    const [a, b, one] = (await ids('a', 'b', '1')) as [string, string, string]
    const wishId = await makeWish(service.database, [a, one])
    const shown = await Promise.all(
      [{ wishId }, { wishId: b }, { topic: 'dark mode' }, { view: {} }, { view: { query: 'title' } }].map(
        async (body) => open(await share(body)),
      ),
    )
    for (const page of shown) expect(page).not.toMatch(/(Title|Text|Author) of|\/people\//)
    const [wish, alone, topic, list] = shown as [string, string, string, string]
    expect(parse(wish).text).toMatch(/Dark mode 53 votes · 2 requests/)
    expect(linkTo(wish, 'https://example.org/a')?.rel).toBe('noopener nofollow ugc')
    expect(parse(alone).text).toMatch(/A wish on \w+ 40 votes · 1 request/)
    for (const page of [topic, list]) {
      expect(parse(page).text).toMatch(/Dark mode 53 votes.*A wish on/)
      expect(linkTo(page, 'https://example.org/b')).toBeDefined()
    }
  })
})

describe('the page of a topic and of a list', () => {
  it('has the numbers of the topic and its most wanted wishes, with whose title each is', async () => {
    await storeWish()
    const { text } = parse(await open(await share({ topic: 'Dark  MODE' })))
    for (const part of ['15 votes · 3 requests', 'GitHub: 2 requests · Stack Exchange: 1 request', 'Most wanted'])
      expect(text).toContain(part)
    expect(text).toContain('Title from Ada Lovelace · 2 Jan 2026')
  })

  it('has the wishes of its query, filters, marks and order', async () => {
    await storeRequests(service, [
      foundRequest('1', { title: 'Palette of colours', votes: 1 }),
      foundRequest('2', {
        title: 'Palette again',
        votes: 9,
        status: 'planned',
        originalCreatedAt: new Date('2026-04-01'),
      }),
      foundRequest('3', { title: 'Something else', votes: 5, originalCreatedAt: new Date('2026-05-01') }),
    ])
    const titles = async (view: object) =>
      [...(await open(await share({ view }))).matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title)
    expect(await titles({})).toEqual(['Palette again', 'Something else', 'Palette of colours'])
    expect(await titles({ sortBy: 'new' })).toEqual(['Something else', 'Palette again', 'Palette of colours'])
    expect(await titles({ filters: { status: ['planned'] } })).toEqual(['Palette again'])
    expect(await titles({ query: 'palette', sortBy: 'votes' })).toEqual(['Palette again', 'Palette of colours'])
    expect(await titles({ query: 'palette', filters: { minVotes: 5 } })).toEqual(['Palette again'])
    await putMark(service.client, await idOf(service, '3'), { mark: 'planned' })
    expect(await titles({ filters: { mark: 'planned' } })).toEqual(['Something else'])
    const empty = await openShare(service, await share({ view: { query: 'nothing' } }))
    expect([empty.status, parse(empty.text).text]).toEqual([200, expect.stringContaining('No wish matches')])
  })

  it('has at most 100 wishes', async () => {
    await storeRequests(
      service,
      Array.from({ length: 105 }, (_, at) => foundRequest(`${at}`, { votes: at })),
    )
    const page = await open(await share({ view: {} }))
    expect(page.match(/<h2/g)).toHaveLength(100)
  })
})

describe('hostile texts', () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style></p>\'&amp;'

  it('are texts: no element, attribute or address comes of them', async () => {
    await storeRequests(service, [
      foundRequest('1', {
        title: hostile,
        description: hostile,
        authorName: hostile,
        authorProfileUrl: 'javascript:alert(1)',
        sourceUrl: 'data:text/html,<script>alert(1)</script>',
        sourceName: hostile,
        license: hostile,
      }),
    ])
    const wishId = await idOf(service, '1')
    await putMark(service.client, wishId, { mark: 'planned', note: hostile })
    const bodies = [{ wishId }, { topic: 'dark mode' }, { view: { query: `alert ${hostile}` } }]
    for (const body of bodies) {
      const page = await open(await share({ ...body, title: hostile.slice(0, 100), withNotes: true }))
      const { elements, text, names } = parse(page)
      expect(text).toContain(hostile)
      const strange = names.filter((name) => ['script', 'img', 'iframe', 'form'].includes(name))
      expect(strange).toEqual([])
      expect(elements.filter(({ name }) => name === 'style')).toHaveLength(1)
      const attributes = elements.flatMap((element) => Object.entries(element.attributes))
      expect(attributes.filter(([name]) => name.startsWith('on') || name === 'style' || name === 'src')).toEqual([])
      for (const [, href] of attributes.filter(([name]) => name === 'href')) expect(href).toMatch(/^(https?|mailto):/)
    }
  })

  it('are isolated in their direction, without unseen signs, and bounded', async () => {
    const unseen = '\u202eevil\u2066\u200b'
    await storeRequests(service, [
      foundRequest('1', {
        title: `${unseen} שלום`,
        description: `${unseen}\u0007${'long '.repeat(20_000)}`,
        authorName: unseen,
      }),
      foundRequest('2', {
        title: 'x'.repeat(100_000),
        description: `e${'\u0301'.repeat(1_000)}`,
        authorName: 'y'.repeat(9_000),
      }),
    ])
    const [one, two] = (await ids('1', '2')) as [string, string]
    const pages = [await open(await share({ wishId: one })), await open(await share({ wishId: two }))]
    for (const page of pages) {
      expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]|\u0301{4}/)
      expect(page).not.toContain('\u0007')
      expect(page.length).toBeLessThan(12_000)
      const { elements } = parse(page)
      for (const { name, attributes } of elements)
        if (['h1', 'h3', 'a'].includes(name) || attributes.class === 'text')
          expect([name, attributes.dir ?? attributes.href]).toEqual([name, expect.stringMatching(/^(auto|mailto:.*)$/)])
    }
    expect(parse(pages[0]!).text).toContain('… (the beginning of the text)')
  })
})
