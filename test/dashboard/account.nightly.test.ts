import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordKeys, usePage } from './page-test.ts'

// Holds (Dashboard): a second click or a lost response has no second effect

describePage('the account', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode', { depth: 2 })
  })

  it('shows plan, pool, packs, and what each day cost, with the table behind the chart', async () => {
    const page = await test.open('/settings')
    await page.getByText('Max', { exact: true }).waitFor()
    expect(await page.locator('.figures').innerText()).toMatch(/[1-9] of 15,000 used/)
    expect(await page.locator('.packs').innerText()).toMatch(/Starter\s+1,300 credits\s+\$5/)
    const chart = page.getByRole('region', { name: 'Usage' }).locator('.chart')
    expect(await chart.getByRole('img').getAttribute('aria-label')).toMatch(
      /Credits charged by day.*in all; the peak is/,
    )
    await chart.getByText('As a table').click()
    const rows = chart.locator('tbody tr')
    expect(await rows.count()).toBe(30)
    // Not the last one: a day may have begun since.
    expect(await rows.allInnerTexts()).toContainEqual(expect.stringMatching(/\d{4}\s+[1-9]/))
  })

  it('what is held stands beside what was spent, which is what the chart has', async () => {
    const page = await test.open('about:blank')
    const spent = (await test.service.client.get('/api/v1/usage')).body.data.credits.used
    await page.route('**/api/v1/usage?days=30*', async (route) => {
      const response = await answerOf(route)
      const body = await response.json()
      Object.assign(body.data.credits, { used: spent + 480, remaining: body.data.credits.remaining - 480, held: 480 })
      await route.fulfill({ response, json: body })
    })
    await page.goto('/settings')
    await page.getByText(`${spent} of 15,000 used`).waitFor()
    await page.getByText('480 more held by collections under way').waitFor()
    expect(await page.locator('.chart .note').first().innerText()).toContain(`${spent} in all`)
  })

  it('shows every movement of credits with its cause', async () => {
    const page = await test.open('/settings')
    const statement = page.getByRole('region', { name: 'Transactions' })
    await expect.poll(() => statement.innerText(), patient).toMatch(/BOOTSTRAP_API_KEY\s+Charged [1-9]/)
    await statement.getByRole('link', { name: 'dark mode' }).first().click()
    await page.getByRole('heading', { name: 'dark mode' }).waitFor()
  })

  it('a key is revoked with all that it made, which is named before', async () => {
    const { client } = test.service
    const { keyId, apiKey } = (await client.post('/api/v1/keys', { name: 'leaked' })).body.data
    const leaked = test.service.clientFor(apiKey)
    await leaked.post('/api/v1/keys', { name: 'its child' })
    const { url } = (await leaked.post('/api/v1/feeds', { kind: 'topic', topic: 'dark mode' })).body.data
    const page = await test.open('/settings/keys')
    const row = page.getByRole('row', { name: /leaked/ })
    await row.getByRole('button', { name: 'Revoke the key leaked' }).click()
    await row.getByText('It created 1 key and 1 feed: its child, dark mode').waitFor()
    await row.getByRole('button', { name: 'Revoke it and end everything it created' }).click()
    await row.getByText(/^revoked/).waitFor()
    await page
      .getByRole('row', { name: /its child/ })
      .getByText(/^revoked/)
      .waitFor()
    expect((await fetch(url)).status).toBe(404)
    expect((await client.get(`/api/v1/keys/${keyId}/made`)).body.data).toMatchObject({ keys: [], feeds: [] })
  })

  it('a key is shown once, works, is listed by its name, and stops when it is revoked', async () => {
    const page = await test.open('/settings/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('A key needs a name.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('for the importer')
    const keys = recordKeys(page, '/api/v1/keys')
    await page.getByRole('button', { name: 'Create a key' }).dblclick()
    const secret = page.locator('.secret code')
    await secret.waitFor()
    expect(keys).toHaveLength(1)
    const apiKey = await secret.innerText()
    expect((await test.service.clientFor(apiKey).get('/api/v1/usage')).status).toBe(200)
    const row = page.getByRole('row', { name: /for the importer/ })
    await row.waitFor()
    expect(await row.count()).toBe(1)
    await page.locator('.secret').getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.content(), patient).not.toContain(apiKey)
    await row.getByRole('button', { name: 'Revoke the key for the importer' }).click()
    await row.getByRole('button', { name: 'Yes, revoke it' }).click()
    await row.getByText(/revoked/).waitFor()
    expect((await test.service.clientFor(apiKey).get('/api/v1/usage')).status).toBe(401)
  })

  it('a key for another program only reads unless more is chosen, and what it may spend and until when is in its row', async () => {
    const page = await test.open('/settings/keys')
    const make = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByRole('button', { name: 'Create a key' }).click()
      const secret = page.locator('.secret code')
      await secret.waitFor()
      const apiKey = await secret.innerText()
      await page.locator('.secret').getByRole('button', { name: 'Close' }).click()
      return test.service.clientFor(apiKey)
    }
    const reader = await make('reads')
    const job = { topic: 'too much', platforms: ['github'] }
    expect((await reader.scrape(job)).body.error.code).toBe('SCOPE_EXCEEDED')
    await page.getByRole('radio', { name: /^Collect/ }).check()
    await page.getByLabel('Expires').selectOption('After 30 days')
    await page.getByLabel('Budget, credits a month').fill('many')
    await page.getByLabel('Name', { exact: true }).fill('collects')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('A whole number, or nothing.').waitFor()
    await page.getByLabel('Budget, credits a month').fill('1')
    const collector = await make('collects')
    expect((await collector.scrape({ ...job, depth: 2 })).body.error.reason).toBe('key_budget')
    expect((await collector.scrape(job)).status).toBe(200)
    await page.reload()
    const row = page.getByRole('row', { name: /^collects/ })
    await expect.poll(() => row.innerText(), patient).toMatch(/Collect\s+1 of 1\s+\d+ \w+ 20\d\d/)
    expect(await page.getByRole('row', { name: /reads/ }).innerText()).toMatch(/Read\s+0\s+never/)
    await page.goto('/settings')
    const byKey = page.getByRole('figure', { name: 'Used, by key' })
    await byKey.getByText('collects').first().waitFor()
    await page.getByLabel('Period (UTC)').selectOption('Last week')
    await page.getByText(/^0 credits from \d+ \w+ 20\d\d to /).waitFor()
    expect(await byKey.count()).toBe(0)
    await page.getByLabel('Period (UTC)').selectOption('This week')
    await byKey.getByText('collects').first().waitFor()
  })

  it('a lost answer makes no second key: the next try has the same Idempotency-Key', async () => {
    const page = await test.open('/settings/keys')
    await page.getByLabel('Name', { exact: true }).fill('only one')
    const keys = recordKeys(page, '/api/v1/keys')
    await page.route('**/api/v1/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await answerOf(route)
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute('**/api/v1/keys')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.secret code').waitFor()
    expect(new Set(keys).size).toBe(1)
    const listed = (await test.service.client.get('/api/v1/keys')).body.data.results
    expect(listed.filter(({ name }: { name: string }) => name === 'only one')).toHaveLength(1)
  })
})

describePage('topics', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath === null) return
    await test.collect('dark mode', { depth: 2 })
    await test.collect('node.js & C++', { platforms: ['hackernews'] })
  })

  it('are listed, sorted and found by name; the address says how', async () => {
    const page = await test.open('/topics')
    await page.getByRole('link', { name: 'dark mode' }).waitFor()
    await page.getByLabel('Sort by').selectOption('name')
    await page.getByRole('searchbox', { name: 'Find a topic' }).fill('dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.topics > li').count(), patient).toBe(1)
    expect(new URL(page.url()).search).toBe('?q=dark&sort=name')
    await page.goBack()
    await expect.poll(() => page.locator('.topics > li').count(), patient).toBe(2)
  })

  it('have their numbers above their wishes, over time with a table; an address may have dots, signs and spaces', async () => {
    const page = await test.open('/topics')
    await page.getByRole('link', { name: 'node.js & C++' }).click()
    await page.getByRole('heading', { level: 1, name: 'node.js & C++' }).waitFor()
    await page.reload()
    await page.locator('.wish-list .wish-row').first().waitFor()
    await page.getByText(/\d requests · .* new in 30 days/).click()
    const chart = page.locator('.chart', { hasText: 'Requests over time, by when they were asked' })
    await chart.getByText('As a table').click()
    expect(await chart.locator('tbody tr').first().innerText()).toMatch(/\d/)
    await page.getByRole('link', { name: 'Collect again' }).click()
    await expect.poll(() => page.getByLabel('Topic').inputValue(), patient).toBe('node.js & C++')
  })
})

describePage('the account of a service that does not meter', () => {
  const test = usePage({ service: { environment: { METERING: 'off' } } })

  it('shows no credits, and a collection that costs nothing', async () => {
    const page = await test.open('/settings')
    await page.getByText('Not metered: no call costs credits.').waitFor()
    expect(await page.locator('.packs, meter[aria-label*="held"]').count()).toBe(0)
    await page.goto('/collect')
    await page.getByText('Nothing is charged').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('credit')
  })
})
