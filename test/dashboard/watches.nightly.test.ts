import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { changingOptions, github, makeWatch, runWatch, wish } from './changing.ts'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordCalls, recordKeys, usePage } from './page-test.ts'

const figure = (page: Page, name: string) =>
  page
    .locator('.figures > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

describePage('watches', () => {
  const test = usePage(changingOptions)
  beforeAll(async () => {
    if (chromiumPath === null) return
    github.requests = [wish('a', { votes: 5 }), wish('b')]
    await test.collect('sharing', { platforms: ['github'] })
  })

  const watchesNamed = async (name: string) =>
    (await test.service.client.get('/api/v1/watches')).body.data.results.filter(
      (watch: { name: string }) => watch.name === name,
    )

  it('a topic becomes a watch whose runs and cost are shown before it is made; it is run, and its run is there', async () => {
    const page = await test.open('/wishes?topic=sharing', { timezoneId: 'America/New_York' })
    await page.getByRole('link', { name: 'Watch this topic' }).click()
    await expect.poll(() => page.getByLabel('Topic').inputValue(), patient).toBe('sharing')
    expect(await page.getByLabel('Time zone').inputValue()).toBe('America/New_York')
    const preview = page.getByRole('region', { name: 'What this means' })
    await preview.getByText('At most 5 credits a month.').waitFor()
    expect(await preview.locator('.next-runs li').count()).toBe(5)
    // This service has no model that compares news with a goal.
    expect(await page.getByLabel('What fits, in your words').count()).toBe(0)
    expect(await preview.locator('.next-runs li').first().innerText()).toMatch(/\d{2}:\d{2}\s+up to 1 credit/)
    await page.getByLabel('How often').selectOption('cron')
    await page.getByLabel('Times, as a cron expression').fill('30 8 * * 1')
    await preview.getByText('Times are in America/New_York.').waitFor()
    await expect.poll(() => preview.locator('.next-runs').innerText(), patient).toMatch(/(Mon.*08:30[\s\S]*){5}/)
    await page.getByLabel('Budget').fill('2')
    await preview.getByText('pays for 2 full runs a month; later ones are skipped.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('What people want of sharing')
    await page.getByLabel('Also run it now').uncheck()
    const keys = recordKeys(page, '/api/v1/watches')
    await page.getByRole('button', { name: 'Create the watch' }).dblclick()
    await page.getByRole('heading', { name: 'What people want of sharing' }).waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(await watchesNamed('What people want of sharing')).toHaveLength(1)
    expect(await figure(page, 'State').innerText()).toBe('active')

    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('It costs up to 1 credit of the budget. Run it now?').waitFor()
    const runs = recordKeys(page, /\/run$/)
    await page.getByRole('button', { name: 'Yes, run it' }).dblclick()
    await page.getByText('Started.').waitFor()
    expect(new Set(runs).size).toBe(1)
    const row = page.locator('.runs tbody tr')
    await expect.poll(() => row.allInnerTexts(), patient).toEqual([expect.stringMatching(/manually[\s\S]*completed/)])
    await page.getByRole('link', { name: 'All watches' }).click()
    const line = page.locator('.watches > li')
    await expect.poll(() => line.innerText(), patient).toMatch(/1 of 2 credits/)
    expect(await line.innerText()).toMatch(/ran just now/)
  })

  it('an answer that was lost makes no second watch, and what is missing is said at its field', async () => {
    const page = await test.open('/watches/new')
    await page.getByRole('button', { name: 'Create the watch' }).click()
    await page.getByText('A topic has 2 to 100 characters.').waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), patient)
      .toBe('true')
    await page.getByLabel('Topic').fill('lost answer')
    const keys = recordKeys(page, '/api/v1/watches')
    await page.route('**/api/v1/watches', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await answerOf(route)
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create the watch' }).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute('**/api/v1/watches')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'lost answer' }).waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(await watchesNamed('lost answer')).toHaveLength(1)
  })

  it('is changed, paused, resumed and, after a question, removed', async () => {
    const watchId = await makeWatch(test, { name: 'to be changed' })
    const page = await test.open(`/watches/${watchId}`)
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('How often').selectOption('weekly')
    await page.getByLabel('Name', { exact: true }).fill('was changed')
    await page.getByRole('checkbox', { name: 'Wanted more than before' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('without: Wanted more than before').waitFor()
    await page.getByRole('heading', { name: 'was changed', exact: true }).waitFor()
    await page.getByText('every week').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => figure(page, 'State').innerText(), patient).toBe('paused')
    expect(await figure(page, 'Next run').innerText()).toBe('none planned')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => figure(page, 'State').innerText(), patient).toBe('active')
    await page.getByRole('button', { name: 'Remove this watch' }).click()
    await page.getByRole('button', { name: 'Yes, remove it' }).click()
    await page.getByRole('heading', { name: 'Watches' }).waitFor()
    expect(await watchesNamed('was changed')).toHaveLength(0)
  })

  it('opening it is a look; one that nobody looked at says why it waits, and goes on when it is told to', async () => {
    const watchId = await makeWatch(test, { name: 'forgotten' })
    const past = new Date('2026-01-02T03:04:05Z')
    const change = {
      state: 'asking' as const,
      asking_because: 'not_looked_at' as const,
      next_run_at: null,
      last_looked_at: past,
    }
    await test.service.database.updateTable('watches').set(change).where('id', '=', watchId).execute()
    const page = await test.open(`/watches/${watchId}`)
    await page.getByText('Nobody has looked at this watch for 90 days').waitFor()
    const stopped = { state: 'asking' as const, asking_because: 'key_ended' as const }
    await test.service.database.updateTable('watches').set(stopped).where('id', '=', watchId).execute()
    await page.reload()
    await page.getByText('The key that made it or paid for it was revoked').waitFor()
    const lastLook = async () => {
      const watches = test.service.database.selectFrom('watches').select('last_looked_at').where('id', '=', watchId)
      return (await watches.executeTakeFirstOrThrow()).last_looked_at.getTime()
    }
    await expect.poll(lastLook, patient).toBeGreaterThan(past.getTime())
    expect(await figure(page, 'State').innerText()).toBe('waits for you')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => figure(page, 'State').innerText(), patient).toBe('active')
    expect(await page.getByText('Nobody has looked at this watch').count()).toBe(0)
  })

  it('a run that nothing paid for says so', async () => {
    const watchId = await makeWatch(test, { name: 'poor' })
    await sql`insert into watch_runs (watch_id, trigger, due_at, begun_at, skipped)
      values (${watchId}, 'schedule', now(), now(), 'no_credits')`.execute(test.service.database)
    const page = await test.open(`/watches/${watchId}`)
    await page.getByText('Its budget, its key or the account could not pay for it.').waitFor()
  })

  it('a key that only reads sees watches, and hears that it cannot make one', async () => {
    const { apiKey } = (await test.service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })).body.data
    const page = await test.open('/watches/new?topic=not+allowed', { as: apiKey })
    await page.getByText('Your key may not see the channels').waitFor()
    await page.getByRole('button', { name: 'Create the watch' }).click()
    await page.getByText('Your key may not do this.').waitFor()
    expect(await watchesNamed('not allowed')).toHaveLength(0)
  })

  it('has a feed at an address that is shown once, works, and is revoked', async () => {
    const watchId = await makeWatch(test, { name: 'with a feed' })
    await runWatch(test, watchId)
    const page = await test.open(`/watches/${watchId}`)
    await page.locator('summary', { hasText: 'Feed' }).click()
    const keys = recordKeys(page, '/api/v1/feeds')
    await page.getByRole('button', { name: 'Create an address' }).dblclick()
    const address = await page.locator('.feed-address code').innerText()
    expect(new Set(keys).size).toBe(1)
    const { results: feeds } = (await test.service.client.get('/api/v1/feeds')).body.data
    expect(feeds.filter((feed: { watchId: string }) => feed.watchId === watchId)).toHaveLength(1)
    const path = new URL(address).pathname
    expect((await fetch(new URL(path, test.service.url))).status).toBe(200)
    await page.getByRole('link', { name: 'All feed addresses' }).click()
    const row = page.getByRole('row', { name: /with a feed/ })
    await row.waitFor()
    expect(await page.content()).not.toContain(path)
    await row.getByRole('button', { name: 'Revoke the feed of with a feed' }).click()
    await row.getByRole('button', { name: 'Yes, revoke it' }).click()
    await expect.poll(() => row.count(), patient).toBe(0)
    expect((await fetch(new URL(path, test.service.url))).status).toBe(404)
  })

  it('a preview is asked for once a rest in typing, and not twice for the same', async () => {
    const page = await test.open('/watches/new?topic=sharing')
    const preview = page.getByRole('region', { name: 'What this means' })
    await preview.getByText('a month.').waitFor()
    const calls = recordCalls(page)
    await page.getByLabel('Name', { exact: true }).pressSequentially('another name')
    await page.getByLabel('How often').selectOption('weekly')
    await preview.getByText(/At most [45] credits a month/).waitFor()
    await page.getByLabel('How often').selectOption('daily')
    await preview.getByText('At most 31 credits a month.').waitFor()
    expect(calls.filter((call) => call.endsWith('/watches/preview'))).toHaveLength(1)
  })
})
