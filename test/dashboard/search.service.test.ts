import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatAge } from '../../src/cli/relative-time.ts'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordBodies, recordCalls, usePage } from './page-test.ts'

// Takes seconds: a browser starts, and pages load.

const box = (page: Page) => page.getByRole('searchbox', { name: 'Search the collected requests' })
const cards = (page: Page) => page.locator('.results article')
/** The results of the address, not those of the one before that stay until they come. */
const whole = (page: Page) => page.locator('.results[aria-busy="false"]')
const searches = (calls: string[]) => calls.filter((call) => call === 'POST /api/v1/requests/search')
const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

describePage('searching', () => {
  const test = usePage()

  it('in an empty store it says that nothing was collected yet, and leads to the collection', async () => {
    const page = await test.open('/')
    await page.getByText('Nothing collected yet').first().waitFor()
    await page.getByRole('link', { name: 'Start a collection' }).waitFor()
    await page.goto('/?q=calendar')
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

    it('a pause in typing is enough, Enter is at once; each view is one call', async () => {
      const page = await test.open('/')
      await cards(page).first().waitFor()
      const bodies = recordBodies(page, '/api/v1/requests/search')
      // At once: between letters that a slow machine types there may be pauses.
      await box(page).fill('dark mod')
      await expect.poll(() => parameterOf(page, 'q'), patient).toBe('dark mod')
      await page.locator('mark').first().waitFor()
      expect(bodies).toEqual([expect.objectContaining({ query: 'dark mod', prefix: true, sortBy: 'relevance' })])
      expect(parameterOf(page, 'sort')).toBeNull()
      await box(page).fill('offline maps')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '“offline maps”' }).waitFor()
      await expect.poll(() => page.locator('mark').allInnerTexts(), patient).toContain('offline')
      // The typing may have paused before Enter, too; the submitted query is searched exactly once.
      const sent = bodies.filter(({ prefix }) => prefix === undefined)
      expect(sent).toEqual([expect.objectContaining({ query: 'offline maps' })])
    })

    it('shows where the words are, votes, platform, author, the source and its age as the command does; and similar requests', async () => {
      const page = await test.open('/?q=dark+mode')
      const card = cards(page).first()
      await expect.poll(() => card.locator('mark').allInnerTexts(), patient).toContain('dark')
      expect(await card.locator('.votes').innerText()).toMatch(/\d+\s+votes?/)
      expect(await card.locator('.platform').innerText()).toMatch(/GitHub|Hacker News|Stack Exchange/)
      const link = card.getByRole('link').first()
      expect(await link.getAttribute('rel')).toContain('noopener')
      expect(await link.getAttribute('href')).toMatch(/^https?:/)
      const times = page.locator('.results .origin time')
      const moments = await times.evaluateAll((all) => all.map((time) => time.getAttribute('datetime')!))
      const now = new Date()
      expect(await times.allInnerTexts()).toEqual(moments.map((moment) => formatAge(moment, now)))
      // What rounding and whole units say differently is among them.
      const years = moments.map((moment) => ((now.getTime() - Date.parse(moment)) / (365.25 * 86_400_000)) % 1)
      expect(years.some((rest) => rest > 0.5)).toBe(true)
      await cards(page).first().getByRole('button', { name: 'Similar' }).click()
      await page
        .getByText(/Together with this one|Possibly the same|No request asks for much the same/)
        .first()
        .waitFor()
    })

    it('says how many requests have all words, and which have only some; the words that it corrected, and what it left out', async () => {
      const page = await test.open('/?q=offline+zzzqqq')
      await page.getByText(/^No request has all words/).waitFor()
      await page.route('**/api/v1/requests/search', async (route) => {
        const response = await answerOf(route)
        const { meta, ...body } = await response.json()
        await route.fulfill({ response, json: { ...body, meta: { ...meta, total: 3 } } })
      })
      await page.goto('/?q=dark+mode')
      await page.getByText('3 requests have all words. The first 20 that have some are shown.').waitFor()
      await page.locator('.results > li').nth(3).getByText('These have only some of the words:').waitFor()
      await page.unroute('**/api/v1/requests/search')
      await page.goto('/?q=ofline')
      await page.getByText('These are the results for').waitFor()
      await cards(page).first().waitFor()
      await page.getByRole('button', { name: 'offline' }).click()
      await page.getByRole('heading', { name: '“offline”' }).waitFor()
      await cards(page).first().waitFor()
      await page.goto('/?q=offline+-dark')
      await page.getByText('Without “dark”.').waitFor()
    })

    it('loads more up to the cap, only the failed page again and not the earlier ones, and says plainly that it is reached', async () => {
      const page = await test.open('/?q=dark+mode')
      await expect.poll(() => cards(page).count(), patient).toBe(20)
      await page.route('**/api/v1/requests/search', (route) => route.abort())
      await page.getByRole('button', { name: 'Load more' }).click()
      await page.getByText('The service does not answer.').waitFor()
      expect(await cards(page).count()).toBe(20)
      await page.unroute('**/api/v1/requests/search')
      const calls = recordCalls(page)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => cards(page).count(), patient).toBe(40)
      expect(searches(calls)).toHaveLength(1)
      for (const shown of [40, 60, 80]) {
        await expect.poll(() => cards(page).count(), patient).toBe(shown)
        await page.getByRole('button', { name: 'Load more' }).click()
      }
      await page.getByText('These are the 100 best').waitFor()
      expect(await cards(page).count()).toBe(100)
      expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    })

    it('filters narrow the results, are shown, and are all in the address; a topic of one letter is refused with a word, and never shown without being sent', async () => {
      const page = await test.open('/?q=mode')
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.locator('.filter-panel').getByRole('button', { name: 'GitHub' }).click()
      await expect
        .poll(async () => new Set(await page.locator('.platform').allInnerTexts()), patient)
        .toEqual(new Set(['GitHub']))
      await page.getByLabel('Topic', { exact: true }).fill('dark mode')
      await page.keyboard.press('Enter')
      await page.getByLabel('At least so many votes').fill('2')
      await page.keyboard.press('Enter')
      await page.getByLabel('Asked since').fill('2020-01-01')
      await page.keyboard.press('Enter')
      await page.getByLabel('Sort by').selectOption('votes')
      await expect
        .poll(() => new URL(page.url()).search, patient)
        .toBe('?q=mode&platforms=github&topic=dark+mode&votes=2&since=2020-01-01&sort=votes')
      const chips = page.getByRole('list', { name: 'Filters in use' })
      expect(await chips.innerText()).toMatch(/GitHub[\s\S]*Topic: dark mode[\s\S]*2 votes or more[\s\S]*Since/)
      await whole(page).waitFor()
      const votes = (await page.locator('.results .votes strong').allInnerTexts()).map(Number)
      expect(votes.length).toBeGreaterThan(0)
      expect(votes).toEqual(votes.filter((count) => count >= 2).toSorted((a, b) => b - a))
      const shared = await test.open(`/${new URL(page.url()).search}`)
      await expect
        .poll(() => shared.locator('.results h2').allInnerTexts(), patient)
        .toEqual(await page.locator('.results h2').allInnerTexts())
      await chips.getByRole('button', { name: 'Clear the filters' }).click()
      await expect.poll(() => new URL(page.url()).search, patient).toBe('?q=mode&sort=votes')
      await page.goto('/?topic=x')
      await cards(page).first().waitFor()
      expect(await page.getByRole('list', { name: 'Filters in use' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByLabel('Topic', { exact: true }).fill('x')
      await page.keyboard.press('Enter')
      await page.getByText('A topic has 2 to 100 characters.').waitFor()
      expect(parameterOf(page, 'topic')).toBe('x')
      expect(await page.getByRole('list', { name: 'Filters in use' }).count()).toBe(0)
    })

    it('the box follows Back and Forward, also while it has the focus; words that are waited for do not take back a filter that was set meanwhile', async () => {
      const page = await test.open('/?q=dark')
      await cards(page).first().waitFor()
      await box(page).fill('maps')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '“maps”' }).waitFor()
      await box(page).focus()
      await page.goBack()
      await expect.poll(() => box(page).inputValue(), patient).toBe('dark')
      await page.goForward()
      await expect.poll(() => box(page).inputValue(), patient).toBe('maps')
      await page.clock.install()
      await box(page).fill('offline')
      await page.getByLabel('Sort by').selectOption('new')
      await expect.poll(() => parameterOf(page, 'sort'), patient).toBe('new')
      await page.clock.fastForward(1_000)
      await expect.poll(() => parameterOf(page, 'q'), patient).toBe('offline')
      expect(parameterOf(page, 'sort')).toBe('new')
    })

    it('exports what passes the filters; a refusal is shown, and the file comes whole or not at all', async () => {
      const page = await test.open('/?platforms=github&topic=dark+mode')
      await cards(page).first().waitFor()
      await page.getByText('Export', { exact: true }).click()
      await page.route('**/requests/export**', (route) => route.abort())
      await page.getByRole('button', { name: 'JSON lines' }).click()
      await page.getByText('The service does not answer.').waitFor()
      await page.unroute('**/requests/export**')
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'JSON lines' }).click()
      const file = await (await download).path()
      const lines = (await readFile(file, 'utf8')).trim().split('\n')
      expect(lines.length).toBeGreaterThan(20)
      expect(new Set(lines.map((line) => JSON.parse(line).sourcePlatform))).toEqual(new Set(['github']))
      await page.getByText('The file is in your downloads.').waitFor()
    })

    it('exports of a search what it shows: its words, filters and order, and says so', async () => {
      const page = await test.open('/?q=offline+mode&platforms=github,hackernews&sort=votes')
      await cards(page).first().waitFor()
      await page.getByText('Export', { exact: true }).click()
      await page.getByText('These results (up to 100), in this order').waitFor()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'JSON lines' }).click()
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
      const records = lines.map((line) => JSON.parse(line) as { _id: string; title: string })
      const filters = { platforms: ['github', 'hackernews'] }
      const asked = { query: 'offline mode', limit: 100, sortBy: 'votes', filters }
      const { results } = (await test.service.client.post('/api/v1/requests/search', asked)).body.data
      expect(records.map(({ _id }) => _id)).toEqual(results.map(({ _id }: { _id: string }) => _id))
      const shown = await page.locator('.results h2').allInnerTexts()
      expect(records.slice(0, shown.length).map(({ title }) => title)).toEqual(shown)
    })

    it('the whole of a shortened text is read on demand', async () => {
      const page = await test.open('about:blank')
      const whole = `${'A long text. '.repeat(200)}This is its end.`
      let id = ''
      await page.route('**/api/v1/requests?**', async (route) => {
        const response = await answerOf(route)
        const body = await response.json()
        id = body.data.results[0]._id
        Object.assign(body.data.results[0], { description: whole.slice(0, 2_000), descriptionTruncated: true })
        await route.fulfill({ response, json: body })
      })
      await page.route('**/api/v1/requests/*-*-*', async (route) => {
        const json = { data: { _id: route.request().url().split('/').at(-1), description: whole } }
        await route.fulfill({ json })
      })
      const calls = recordCalls(page)
      await page.goto('/')
      const card = cards(page).first()
      await expect.poll(() => card.locator('.description p').innerText(), patient).toMatch(/…$/)
      await card.getByRole('button', { name: 'Show all of it' }).click()
      await card.getByText('This is its end.').waitFor()
      expect(calls.filter((call) => call === `GET /api/v1/requests/${id}`)).toHaveLength(1)
      await card.getByRole('button', { name: 'Show less' }).click()
      await expect.poll(() => card.locator('.description p').innerText(), patient).toMatch(/…$/)
    })
  })
})
