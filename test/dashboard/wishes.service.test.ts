import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordBodies, recordCalls, usePage } from './page-test.ts'

// Takes seconds: a browser starts, and pages load.

const box = (page: Page) => page.getByRole('searchbox', { name: 'Search the collected requests' })
const rows = (page: Page) => page.locator('.wish-list .wish-row')
const titles = (page: Page) => page.locator('.wish-list .row-title a')
/** The rows of the address, not those of the one before that stay until they come. */
const whole = (page: Page) => page.locator('.wish-list[aria-busy="false"]')
const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
const panel = (page: Page) => page.getByRole('region', { name: 'Wish', exact: true })
const searches = '/api/v1/requests/search'

describePage('the list of wishes', () => {
  const test = usePage()

  it('in an empty store home has the first steps, and the list leads to a collection', async () => {
    const page = await test.open('/')
    await page.getByRole('link', { name: 'Start a collection' }).waitFor()
    await page.goto('/wishes?q=calendar')
    await page.getByText('Nothing collected yet').first().waitFor()
    await page.getByRole('link', { name: 'Collect this topic' }).click()
    await expect.poll(() => page.getByLabel('Topic').inputValue(), patient).toBe('calendar')
  })

  describe('what was collected', () => {
    beforeAll(async () => {
      if (chromiumPath === null) return
      await test.collect('dark mode', { depth: 3 })
      await test.collect('offline maps')
    })

    it('searches at each key, and what is stale never overwrites; Enter searches whole words', async () => {
      const page = await test.open('/wishes')
      await rows(page).first().waitFor()
      // The answer to the first letters comes after those to the next ones.
      let isFirst = true
      await page.route(`**${searches}`, async (route) => {
        const response = isFirst
        isFirst = false
        if (response) await new Promise((resolve) => setTimeout(resolve, 1_500))
        await route.continue().catch(() => {})
      })
      const bodies = recordBodies(page, searches)
      await box(page).pressSequentially('offl', { delay: 150 })
      await expect.poll(() => page.locator('mark').allInnerTexts(), patient).toContain('offline')
      await page.waitForTimeout(2_000)
      expect(await page.locator('mark').allInnerTexts()).toContain('offline')
      expect(parameterOf(page, 'q')).toBe('offl')
      const lists = bodies.filter(({ groupBy }) => groupBy === 'wish')
      expect(lists.map(({ query, prefix }) => [query, prefix])).toEqual(
        ['o', 'of', 'off', 'offl'].map((one) => [one, true]),
      )
      await page.keyboard.press('Enter')
      await expect.poll(() => bodies.filter(({ prefix }) => prefix === undefined).length, patient).toBeGreaterThan(0)
    })

    it('a row has votes, title, platforms, trend, age and source; its title opens the wish, its icon leaves for the source', async () => {
      const page = await test.open('/wishes?q=dark+mode')
      await rows(page).first().waitFor()
      const row = rows(page).first()
      await expect.poll(() => row.locator('mark').allInnerTexts(), patient).toContain('dark')
      expect(await row.locator('.row-votes').innerText()).toMatch(/\d/)
      // Nothing was measured of what was collected just now: a level line would look like history.
      expect(await row.getByRole('img').count()).toBe(0)
      await sql`insert into vote_samples select id, current_date - 22, votes from requests`.execute(
        test.service.database,
      )
      await page.reload()
      await row.getByRole('img', { name: /^Votes in 3 weeks/ }).waitFor()
      const source = row.getByRole('link', { name: /^Open at/ })
      expect(await source.getAttribute('rel')).toContain('noopener')
      expect(await source.getAttribute('href')).toMatch(/^https?:/)
      const title = (await titles(page).first().innerText()).trim()
      await titles(page).first().click()
      await panel(page).getByRole('heading', { name: title }).waitFor()
      await panel(page).getByRole('link', { name: 'Open as a page' }).click()
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      expect(new URL(page.url()).pathname).toMatch(/^\/wishes\/[\w-]{36}$/)
    })

    it('says how many have all words, with a divider before those that have some; corrected, other and excluded words', async () => {
      const page = await test.open('/wishes?q=offline+zzzqqq')
      await page.getByText(/^No wish has all words/).waitFor()
      await page.goto('/wishes?q=offline+mode')
      await whole(page).waitFor()
      const answer = await test.service.client.search('offline mode', { groupBy: 'wish', limit: 50 })
      const all = (answer.body.data.results as unknown as { hasAllWords: boolean }[]).filter((one) => one.hasAllWords)
      await page
        .getByText(new RegExp(`^${all.length === 0 ? 'No wish has' : `${all.length} wish(es)? ha(s|ve)`} all words`))
        .waitFor()
      if (all.length > 0 && all.length < 10) await page.getByText('Only some of the words').waitFor()
      await page.goto('/wishes?q=ofline')
      await page.getByText('These are the results for').waitFor()
      await page.getByRole('button', { name: 'Search for “ofline” instead' }).waitFor()
      await page.getByRole('button', { name: 'offline', exact: true }).click()
      await page.getByRole('heading', { name: '“offline”' }).waitFor()
      await page.goto('/wishes?q=offline+-dark')
      await page.getByText('Without “dark”.').waitFor()
    })

    it('reads more while one scrolls, again only the page that failed, up to the cap of a search', async () => {
      const page = await test.open('/wishes?q=dark+mode')
      await rows(page).first().waitFor()
      await page.route(`**${searches}`, (route) => route.abort())
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
      await page.getByText('The service does not answer.').waitFor()
      await page.unroute(`**${searches}`)
      const bodies = recordBodies(page, searches)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('These are the 100 best').waitFor()
      expect(bodies.map(({ offset }) => offset)).toEqual([50])
    })

    it('filters with counts apply at once and are all in the address; a period is compared with the time before', async () => {
      const page = await test.open('/wishes?q=mode')
      const counted = page.getByRole('link', { name: /^GitHub: \d+ requests/ })
      const count = Number(/: (\d+)/.exec((await counted.getAttribute('aria-label')) ?? '')?.[1])
      await counted.click()
      await page.getByRole('link', { name: `GitHub: ${count} requests, selected` }).waitFor()
      await whole(page).waitFor()
      await page.getByRole('link', { name: /^1 or more: / }).click()
      await page.getByLabel('From', { exact: true }).fill('2020-01-01')
      await page.getByLabel('Sort by').selectOption('votes')
      await expect
        .poll(() => new URL(page.url()).search, patient)
        .toBe('?q=mode&platforms=github&votes=1&since=2020-01-01&sort=votes')
      const chips = page.getByRole('list', { name: 'Filters in use' })
      expect(await chips.innerText()).toMatch(/GitHub[\s\S]*1 votes or more[\s\S]*Since/)
      await whole(page).waitFor()
      const votes = (await page.locator('.row-votes strong').allInnerTexts()).map((text) =>
        Number(text.replace(',', '')),
      )
      expect(votes.length).toBeGreaterThan(0)
      expect(votes).toEqual(votes.filter((one) => one >= 1).toSorted((a, b) => b - a))
      await chips.getByRole('button', { name: 'Clear filters' }).click()
      await expect.poll(() => new URL(page.url()).search, patient).toBe('?q=mode&sort=votes')
      // A topic of one letter is none.
      await page.goto('/wishes?topic=x')
      await rows(page).first().waitFor()
      expect(await chips.count()).toBe(0)
      await page.getByRole('link', { name: '1 year' }).click()
      await page.getByText(/in the period before/).waitFor()
    })

    it('takes every letter however fast one types, also from another page and into the palette', async () => {
      const page = await test.open('/')
      await page.getByRole('heading', { name: 'What changed' }).waitFor()
      await page.keyboard.press('/')
      await expect.poll(() => page.evaluate('document.activeElement?.id'), patient).toBe('search-box')
      await page.keyboard.type('offline mode')
      await expect.poll(() => parameterOf(page, 'q'), patient).toBe('offline mode')
      expect(await box(page).inputValue()).toBe('offline mode')
      await whole(page).waitFor()
      await page.keyboard.press('ArrowDown')
      await expect
        .poll(() => page.evaluate('document.activeElement?.textContent'), patient)
        .toBe(await titles(page).first().innerText())
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('watches')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Watches' }).waitFor()
    })

    it('the box follows Back and Forward, and a filter that is set while one types stays', async () => {
      const page = await test.open('/wishes?q=dark')
      await rows(page).first().waitFor()
      await box(page).fill('maps')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '“maps”' }).waitFor()
      await page.goBack()
      await expect.poll(() => box(page).inputValue(), patient).toBe('dark')
      await page.goForward()
      await expect.poll(() => box(page).inputValue(), patient).toBe('maps')
      await page.getByLabel('Sort by').selectOption('new')
      await box(page).fill('offline')
      await expect.poll(() => new URL(page.url()).search, patient).toBe('?q=offline&sort=new')
    })

    it('people mark, star, note and join wishes where they see them, by keys alone, and take it back', async () => {
      const page = await test.open('/wishes?topic=offline+maps')
      await rows(page).first().waitFor()
      const [first, second] = (await titles(page).allInnerTexts()).map((title) => title.trim())
      await page.keyboard.press('j')
      await expect.poll(() => page.evaluate('document.activeElement?.textContent'), patient).toBe(first)
      await page.keyboard.press('p')
      await page.getByText(`Marked as planned: “${first}”.`).waitFor()
      await rows(page).first().getByText('Planned').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()
      await expect.poll(() => rows(page).first().getByText('Planned').count(), patient).toBe(0)
      await page.keyboard.press('j')
      await page.keyboard.press('p')
      await page.getByText(`Marked as planned: “${first}”.`).waitFor()
      await page.locator(':focus').press('Enter')
      await panel(page).getByRole('heading', { name: first! }).waitFor()
      await expect
        .poll(() => panel(page).getByRole('button', { name: 'Planned' }).getAttribute('aria-pressed'), patient)
        .toBe('true')
      await page.keyboard.press('m')
      await expect.poll(() => page.evaluate('document.activeElement?.id'), patient).toBe('merge-search')
      await page.keyboard.type(second!)
      await panel(page)
        .getByRole('button', { name: `The same: ${second}` })
        .click()
      await page.getByText(`“${first}” and “${second}” are one wish now.`).waitFor()
      await panel(page).getByText('2 requests', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()
      await panel(page).getByText('1 request', { exact: true }).first().waitFor()
      await panel(page).getByRole('button', { name: 'Add a note' }).click()
      await page.keyboard.type('Ask Ana first')
      await panel(page).getByRole('button', { name: 'Save' }).click()
      await panel(page).getByText('Ask Ana first').waitFor()
      await page.goto('/wishes?mark=planned')
      await expect.poll(() => titles(page).allInnerTexts(), patient).toEqual([first])
    })

    it('a wish is taken along as Markdown in which nothing of a stranger is markup, and as a filled-in issue', async () => {
      const page = await test.open('about:blank')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: test.service.url })
      await page.route('**/api/v1/wishes/*-*', async (route) => {
        const response = await answerOf(route)
        const body = await response.json()
        body.data.title = '[click](https://evil.example) <img src=x> @everybody'
        await route.fulfill({ response, json: body })
      })
      const { body } = await test.service.client.get('/api/v1/wishes?limit=1')
      await page.goto(`/wishes/${body.data.results[0].wishId}`)
      await page.getByRole('button', { name: 'Copy as Markdown' }).click()
      await page.getByText('Copied').waitFor()
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(text).toMatch(/^## \\\[click\\\]\\\(https:\/\/evil\\\.example\\\) \\<img src=x\\> @\u200beverybody\n/)
      await page.getByText('Open as an issue').click()
      await page.getByLabel('Repository').fill('acme/app')
      await page.evaluate('window.open = (address) => { window.opened = address }')
      await page.getByRole('button', { name: 'Open on GitHub' }).click()
      const opened = new URL(await page.evaluate<string>('window.opened'))
      expect([opened.origin, opened.pathname]).toEqual(['https://github.com', '/acme/app/issues/new'])
      expect(opened.searchParams.get('body')).toBe(text)
    })

    it('exports what passes the filters, whole or not at all; of a search what it shows', async () => {
      const page = await test.open('/wishes?platforms=github&topic=dark+mode')
      await rows(page).first().waitFor()
      await page.getByText('Export', { exact: true }).click()
      await page.route('**/requests/export**', (route) => route.abort())
      await page.getByRole('button', { name: 'JSON lines' }).click()
      await page.getByText('The service does not answer.').waitFor()
      await page.unroute('**/requests/export**')
      const linesOf = async () => {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: 'JSON lines' }).click()
        const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
        return lines.map((line) => JSON.parse(line) as { _id: string; sourcePlatform: string })
      }
      const listed = await linesOf()
      expect(listed.length).toBeGreaterThan(20)
      expect(new Set(listed.map(({ sourcePlatform }) => sourcePlatform))).toEqual(new Set(['github']))
      await page.goto('/wishes?q=offline+maps&platforms=github,hackernews&sort=votes')
      await rows(page).first().waitFor()
      await page.getByText('Export', { exact: true }).click()
      await page.getByText('Those of these results (up to 100) that have all words, in this order').waitFor()
      const filters = { platforms: ['github', 'hackernews'] }
      const asked = { query: 'offline maps', limit: 100, sortBy: 'votes', total: true, filters }
      const { data, meta } = (await test.service.client.post(searches, asked)).body
      const withAllWords = data.results.slice(0, meta.total).map(({ _id }: { _id: string }) => _id)
      expect(withAllWords.length).toBeGreaterThan(1)
      expect((await linesOf()).map(({ _id }) => _id)).toEqual(withAllWords)
    })

    it('the whole of a shortened text is read on demand', async () => {
      const page = await test.open('about:blank')
      const text = `${'A long text. '.repeat(200)}This is its end.`
      let id = ''
      await page.route('**/api/v1/wishes/*-*', async (route) => {
        const response = await answerOf(route)
        const body = await response.json()
        const [member] = body.data.members.results
        id = member._id
        Object.assign(member, { description: text.slice(0, 2_000), descriptionTruncated: true })
        await route.fulfill({ response, json: body })
      })
      await page.route('**/api/v1/requests/*-*-*', async (route) => {
        await route.fulfill({ json: { data: { _id: route.request().url().split('/').at(-1), description: text } } })
      })
      const calls = recordCalls(page)
      const { body } = await test.service.client.get('/api/v1/wishes?limit=1')
      await page.goto(`/wishes/${body.data.results[0].wishId}`)
      const member = page.locator('.member').first()
      await expect.poll(() => member.locator('.description p').innerText(), patient).toMatch(/…$/)
      await member.getByRole('button', { name: 'Show all of it' }).click()
      await member.getByText('This is its end.').waitFor()
      expect(calls.filter((call) => call === `GET /api/v1/requests/${id}`)).toHaveLength(1)
      await member.getByRole('button', { name: 'Show less' }).click()
      await expect.poll(() => member.locator('.description p').innerText(), patient).toMatch(/…$/)
    })
  })
})
