import { expect, it } from 'vitest'
import {
  answerOf,
  describePage,
  jobFigure,
  patient,
  platformRow,
  recordCalls,
  recordKeys,
  usePage,
} from './page-test.ts'

// Holds (Dashboard): a second click or a lost response has no second effect

describePage('collecting', () => {
  // Slow enough that one sees a job run.
  const test = usePage({ simulator: { latencyMs: 150, size: 400 } })

  it('an answer that was lost starts nothing twice: the second try has the same key', async () => {
    const page = await test.open('/collect?topic=lost+answer&platforms=github')
    const keys = recordKeys(page, '/api/v1/scrape')
    await page.route('**/api/v1/scrape', async (route) => {
      await answerOf(route)
      await route.abort()
    })
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute('**/api/v1/scrape')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'lost answer' }).waitFor()
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    const { results: jobs } = (await test.service.client.get('/api/v1/scrape?limit=100')).body.data
    expect(jobs.filter(({ topic }: { topic: string }) => topic === 'lost answer')).toHaveLength(1)
    await expect.poll(() => jobFigure(page, 'Status').innerText(), patient).toBe('completed')
  })

  it('a changed form is another intention', async () => {
    const page = await test.open('/collect?topic=first+thought&platforms=github')
    const keys = recordKeys(page, '/api/v1/scrape')
    await page.route('**/api/v1/scrape', (route) => route.abort())
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.getByLabel('Topic').fill('second thought')
    await page.getByRole('button', { name: 'Start' }).click()
    await expect.poll(() => keys.length, patient).toBe(2)
    expect(new Set(keys).size).toBe(2)
  })

  it('after a rate limit the submitted job is started, whatever the form contains by then', async () => {
    const page = await test.open('/collect?topic=asked+for&platforms=github')
    await page.getByText('Up to 1 credit').waitFor()
    await page.clock.install()
    const error = { code: 'RATE_LIMIT_EXCEEDED', reason: 'rate', message: 'Too many calls.' }
    const refusal = { status: 429, headers: { 'retry-after': '3600' }, json: { error } }
    await page.route('**/api/v1/scrape', (route) => route.fulfill(refusal))
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Too many calls in a minute.').waitFor()
    await page.unroute('**/api/v1/scrape')
    await page.getByLabel('Topic').fill('half typ')
    await page.clock.fastForward(3_601_000)
    await page.getByRole('heading', { name: 'asked for' }).waitFor()
  })

  it('a job under way is cancelled after a question, and can be run again', async () => {
    // Neither platform answers, so the job runs until it is cancelled.
    const forEver = { seconds: 600, times: Number.POSITIVE_INFINITY }
    for (const platform of ['github', 'stackexchange'] as const) {
      test.simulator.setFault(platform, 'slow_headers', forEver)
    }
    const page = await test.open('/collect?topic=to+be+cancelled&platforms=github,stackexchange&depth=40')
    try {
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Yes, cancel it' }).click()
      await expect.poll(() => jobFigure(page, 'Status').innerText(), patient).toBe('cancelled')
    } finally {
      test.simulator.clearFaults()
    }
    await page.getByText('Cancelled with 0 new requests. Pages that were delivered stay charged').waitFor()
    expect(await page.locator('.badge.failed, .badge.error, .remedy').count()).toBe(0)
    await page.getByRole('link', { name: 'All collections' }).click()
    const line = page.locator('.jobs > li', { hasText: 'to be cancelled' })
    expect(await line.innerText()).toMatch(/cancelled[\s\S]*0 new/)
    await page.goBack()
    await page.getByRole('link', { name: 'Run again' }).click()
    await expect.poll(() => page.getByLabel('Topic').inputValue(), patient).toBe('to be cancelled')
    await page.getByText('Up to 80 credits').waitFor()
  })

  it('what is new of the job and of its platforms fits together, also when the events break off', async () => {
    const forEver = { seconds: 600, times: Number.POSITIVE_INFINITY }
    test.simulator.setFault('github', 'slow_headers', { ...forEver, fromPage: 2 })
    const page = await test.open('/collect?topic=broken+off&platforms=github,hackernews&depth=3')
    try {
      // The job is first read while nothing is new.
      await page.getByRole('button', { name: 'Start' }).click()
      await expect.poll(() => platformRow(page, 'Hacker News').innerText(), patient).toMatch(/done/)
      await expect.poll(() => platformRow(page, 'GitHub').innerText(), patient).toMatch(/running\s+1 of 3\s+[1-9]/)
      await page.route('**/api/v1/scrape/**', (route) => route.abort())
      await test.service.restart()
      await page.getByText('The connection is broken').waitFor()
      const rows = await page.locator('.job-platforms td[data-label="New requests"]').allInnerTexts()
      expect(rows).toHaveLength(2)
      const sum = rows.reduce((total, text) => total + Number(text.replace(',', '')), 0)
      expect(sum).toBeGreaterThan(0)
      expect(Number((await jobFigure(page, 'New requests').innerText()).replace(',', ''))).toBe(sum)
      expect(await jobFigure(page, 'Status').innerText()).toBe('running')
    } finally {
      test.simulator.clearFaults()
      const { results: jobs } = (await test.service.client.get('/api/v1/scrape?status=running')).body.data
      for (const { jobId } of jobs) await test.service.client.send('DELETE', `/api/v1/scrape/${jobId}`)
    }
  })

  it('on a narrow window nothing of a job is cut off', async () => {
    const jobId = await test.collect('narrow', { depth: 2 })
    const page = await test.open(`/collect/${jobId}`, { viewport: { width: 390, height: 844 } })
    await expect.poll(() => platformRow(page, 'Stack Exchange').innerText(), patient).toMatch(/done/)
    const frame = page.locator('.table-frame')
    expect(await frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    for (const label of ['Pages', 'Found', 'New requests']) {
      const cell = platformRow(page, 'Stack Exchange').locator(`[data-label="${label}"]`)
      const { x, width } = (await cell.boundingBox())!
      expect(x + width).toBeLessThanOrEqual(390)
      expect(await cell.evaluate((one) => getComputedStyle(one, '::before').content)).toBe(`"${label}"`)
    }
  })

  it('polls where events do not come through, with what is new so far, and to the end', async () => {
    const page = await test.open('/collect?topic=without+events&depth=4&platforms=github,hackernews')
    await page.route('**/events', (route) => route.abort())
    const calls = recordCalls(page)
    await page.getByRole('button', { name: 'Start' }).click()
    // The job may be over before the first poll, and then it says so.
    await page.getByText(/Live events do not come through|Finished in/).waitFor()
    await expect.poll(() => jobFigure(page, 'Status').innerText(), patient).toBe('completed')
    expect(Number((await jobFigure(page, 'New requests').innerText()).replace(',', ''))).toBeGreaterThan(0)
    await expect.poll(() => platformRow(page, 'GitHub').innerText(), patient).toMatch(/done/)
    const jobPath = `/api/v1/scrape/${page.url().split('/').at(-1)}`
    expect(calls).toContain(`GET ${jobPath}/events`)
    expect(calls).toContain(`GET ${jobPath}`)
  })

  it('a job that is not the account’s is given up at once', async () => {
    const page = await test.open('/')
    const calls = recordCalls(page)
    // Before the page sets a timer of its own: the clock moves only those that come after it.
    await page.clock.install()
    await page.goto('/collect/00000000-0000-4000-8000-000000000000')
    await page.getByText('Not found.').waitFor()
    // Long enough for another try, if the page had not given up.
    await page.clock.runFor(30_000)
    expect(calls.filter((call) => call.endsWith('/events'))).toHaveLength(1)
  })

  it('an old job, opened by its address, shows its topic, depth and figures', async () => {
    const jobId = await test.collect('opened directly', { platforms: ['hackernews'], depth: 2 })
    const later = Array.from({ length: 21 }, (_, position) => `later ${position}`)
    await Promise.all(later.map((topic) => test.service.client.scrape({ topic, platforms: ['hackernews'] })))
    const page = await test.open(`/collect/${jobId}`)
    await page.getByRole('heading', { name: 'opened directly' }).waitFor()
    await expect.poll(() => jobFigure(page, 'Depth, each platform').innerText(), patient).toBe('2 pages')
    await expect.poll(() => platformRow(page, 'Hacker News').innerText(), patient).toMatch(/done\s+\d of 2\s+[1-9]/)
    await page.goto('/collect')
    await expect.poll(() => page.locator('.jobs > li').count(), patient).toBe(20)
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByRole('link', { name: 'opened directly', exact: true }).waitFor()
  })

  it('the failure of a platform is shown with advice', async () => {
    test.simulator.setFault('github', 'unauthorized', { times: 100 })
    const jobId = await test.collect('refused', { platforms: ['github'] }).finally(() => test.simulator.clearFaults())
    const page = await test.open(`/collect/${jobId}`)
    await expect.poll(() => platformRow(page, 'GitHub').innerText(), patient).toMatch(/failed/)
    await page.locator('.remedy').first().waitFor()
    expect((await page.locator('.remedy').first().innerText()).length).toBeGreaterThan(20)
  })
})

describePage('with no platform ready', () => {
  const test = usePage({
    platforms: 'reddit',
    service: { environment: { REDDIT_CLIENT_ID: '', REDDIT_CLIENT_SECRET: '' } },
  })

  it('the collection says what the operator can do', async () => {
    const page = await test.open('/collect')
    await page.getByText('No platform is ready').waitFor()
    await page.getByText('REDDIT_CLIENT_ID').waitFor()
    expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0)
  })
})

describePage('a platform that cannot be reached', () => {
  const test = usePage({
    platforms: 'github,hackernews',
    service: { platformTimeouts: { retryMs: 10 } },
  })

  it('is told with its reason at the first failed try, and before the next collection; one that is off is not set up', async () => {
    test.simulator.setFault('github', 'server_error', { times: Number.POSITIVE_INFINITY })
    const page = await test.open('/collect?topic=unreachable&platforms=github,hackernews,reddit')
    const option = (name: string) => page.locator('.platform-option', { hasText: name })
    await option('Reddit').getByText('not set up').waitFor()
    expect(await option('Reddit').getByRole('checkbox').isDisabled()).toBe(true)
    expect(await option('GitHub').innerText()).toMatch(/ready/)
    await page.getByText('Up to 2 credits').waitFor()
    try {
      await page.getByRole('button', { name: 'Start' }).click()
      await expect
        .poll(() => platformRow(page, 'GitHub').innerText(), patient)
        .toMatch(/running\s+tries again in \d+ s/)
      await expect.poll(() => page.locator('.remedy').innerText(), patient).toMatch(/503/)
      expect(await jobFigure(page, 'Status').innerText()).toBe('running')
      await page.getByRole('link', { name: 'All collections' }).click()
      await expect.poll(() => option('GitHub').innerText(), patient).toMatch(/cannot be reached[\s\S]*503/)
      expect(await option('Hacker News').innerText()).toMatch(/ready/)
    } finally {
      test.simulator.clearFaults()
    }
  })
})
