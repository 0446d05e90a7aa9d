import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { changingOptions, github, makeWatch, runWatch, wish } from './changing.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, recordBodies, usePage } from './page-test.ts'

const rightToLeft = '\u202Egnirts desrever\u202C عربي'
const script = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'

const listOf = (page: Page, kind: string) =>
  page.locator('.news-kind', { hasText: kind }).locator('xpath=following-sibling::ol[1]').locator('li')

describePage('news', () => {
  const test = usePage(changingOptions)
  let watchId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    github.requests = [wish('a', { votes: 5 }), wish('b', { votes: 9 }), wish('c', { votes: 3 })]
    watchId = await makeWatch(test)
  })

  it('says that there is nothing new before the first run, and where to go', async () => {
    const page = await test.open('/watches/news')
    await page.getByText('Nothing new', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Your watches' }).click()
    await page.locator('.watches > li').waitFor()
  })

  it('the first run is all new; marked as read it stays until the page is read again', async () => {
    await runWatch(test, watchId)
    const page = await test.open('/watches/news')
    await page.getByText('It has run for the first time, so all of it is new.').waitFor()
    expect(await listOf(page, 'New wishes').count()).toBe(3)
    const { apiKey } = (await test.service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })).body.data
    const readers = await test.open('/watches/news', { as: apiKey })
    await readers.getByText('It has run for the first time, so all of it is new.').waitFor()
    expect(await readers.getByRole('button', { name: /Mark as read/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Mark as read: Sharing on mobile' }).dblclick()
    await page.getByText('Marked as read.').waitFor()
    expect(await listOf(page, 'New wishes').count()).toBe(3)
    await page.reload()
    await page.getByText('Nothing new', { exact: true }).waitFor()
  })

  it('then it tells what is wanted more and by how much, what is new, done and declined, and texts stay texts', async () => {
    github.requests = [
      wish('a', { votes: 39 }),
      wish('b', { votes: 9, status: 'completed' }),
      wish('c', { votes: 3, status: 'declined' }),
      wish('d', { votes: 2, title: `${script} ${rightToLeft}` }),
      wish('e', { votes: 1, title: 'W'.repeat(300) }),
    ]
    await runWatch(test, watchId)
    // As after weeks of past, which the replays hold.
    await sql`
      with report as (
        update news_reports set rising = 1, topic_rise = '{"voices": 90, "expected": 30.04, "chance": 0.001}'
        where since is not null returning id
      )
      insert into news_items (report_id, kind, wish_id, request_ids, votes_gained, requests_gained, position, voices, expected, chance)
      select report_id, 'rising', wish_id, request_ids, 0, 1, 100, 7, 1.25, 0.0005 from news_items join report on report.id = report_id
      where kind = 'grown'`.execute(test.service.database)
    for (const width of [1200, 360]) {
      const page = await test.open('/watches/news', { viewport: { width, height: 800 } })
      await page.getByText('Since you marked it as read').waitFor()
      expect(await page.locator('.news-summary').innerText()).toMatch(
        /Wanted more than before\s+1\s+New wishes\s+2\s+Done\s+1\s+Declined\s+1/,
      )
      expect(await listOf(page, 'Wanted more than before').innerText()).toMatch(
        /\+34\s+votes\s+Sharing a\s+39 votes in all/,
      )
      expect(await listOf(page, 'Rising beyond its past').innerText()).toMatch(
        /7\s+people\s+Sharing a\s+in seven days; its past leads to expect 1.3, and as many only once in 2,000 weeks/,
      )
      await page.getByText('90 people ask about this topic').waitFor()
      expect(await listOf(page, 'Done').innerText()).toMatch(/Sharing b/)
      expect(await listOf(page, 'Declined').innerText()).toMatch(/Sharing c/)
      await page.getByText('<script>window.broken=1</script>').waitFor()
      expect(await page.evaluate(() => (window as unknown as { broken?: number }).broken)).toBeUndefined()
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: 'Sharing a' }).first().click()
      await page.getByRole('heading', { name: 'Sharing a', level: 1 }).waitFor()
    }
  })

  it('only what was on the screen is marked: what came since is there after the next reading', async () => {
    const page = await test.open('/watches/news')
    await page.getByText('Since you marked it as read').waitFor()
    github.requests = [...github.requests, wish('later')]
    await runWatch(test, watchId)
    const marks = recordBodies(page, '/api/v1/news/read')
    await page.getByRole('button', { name: 'Mark as read: Sharing on mobile' }).click()
    await page.getByText('Marked as read.').waitFor()
    expect(marks).toEqual([{ watchId, until: expect.any(String) }])
    await page.reload()
    await page.getByRole('link', { name: 'Sharing later' }).waitFor()
    expect(await page.locator('.watch-news .result').count()).toBe(1)
  })

  it('what does not fit the goal of a watch is folded away', async () => {
    const page = await test.open('about:blank')
    await page.route('**/api/v1/news?*', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      for (const watch of body.data.results) {
        const moved = { other: watch.newWishes, newWishes: [], goal: 'ideas, not bugs' }
        Object.assign(watch, moved, { totals: { ...watch.totals, other: moved.other.length, newWishes: 0 } })
      }
      await route.fulfill({ response, json: body })
    })
    await page.goto('/watches/news')
    const folded = page.locator('summary', { hasText: '1 more wish that does not fit your goal' })
    await folded.waitFor()
    expect(await page.getByRole('link', { name: 'Sharing later' }).isVisible()).toBe(false)
    await folded.click()
    await page.getByText('“ideas, not bugs”').waitFor()
    expect(await page.getByRole('link', { name: 'Sharing later' }).isVisible()).toBe(true)
  })

  it('all of it is marked at once; a mark that failed is said, and nothing is shown as read', async () => {
    const other = await makeWatch(test, { name: 'Another', topic: 'another' })
    await runWatch(test, other)
    const page = await test.open('/watches/news')
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor()
    await page.route('**/api/v1/news/read', (route) => route.abort())
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByText('The service does not answer.').waitFor()
    expect(await page.getByText('Marked as read.').count()).toBe(0)
    await page.unroute('**/api/v1/news/read')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.getByText('Marked as read.').count(), patient).toBe(2)
    await page.reload()
    await page.getByText('Nothing new', { exact: true }).waitFor()
  })

  it('a failure of the service is said where the news would be', async () => {
    const page = await test.open('about:blank')
    const error = { code: 'INTERNAL_ERROR', message: 'x' }
    await page.route('**/api/v1/news?*', (route) => route.fulfill({ status: 500, json: { error } }))
    await page.goto('/watches/news')
    await page.getByText('The service failed.').waitFor()
    await page.unroute('**/api/v1/news?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nothing new', { exact: true }).waitFor()
  })
})
