import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePage, patient, recordBodies, recordCalls, usePage } from './page-test.ts'

const searches = '/api/v1/requests/search'
/** The bodies of the searches for rows: the counts of the filters are a call of their own. */
const forRows = (bodies: Record<string, unknown>[]) => bodies.filter(({ groupBy }) => groupBy === 'wish')
const row = (page: Page) => page.locator('.wish-list .wish-row').first()

describePage('a first visit', () => {
  const contact = 'removal@wishwell.example'
  const test = usePage({ service: { environment: { REMOVAL_CONTACT: contact } } })

  it('reads the session while the page is loading, and not again afterwards', async () => {
    const page = await test.open('/healthz')
    const asked = page.waitForRequest('**/api/session')
    // Its script loads only after the session was requested without it.
    await page.route('**/assets/main-*.js', async (route) => {
      await asked
      await route.continue()
    })
    const calls = recordCalls(page)
    await page.goto('/watches')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(calls.filter((call) => call === 'GET /api/session')).toHaveLength(1)
  })

  it('searches for what the address says while the page is still on its way, and not again when it is there', async () => {
    const page = await test.open('/healthz')
    const searched = page.waitForRequest(`**${searches}`)
    // It comes only when the search was sent without it.
    await page.route('**/assets/main-*.js', async (route) => {
      await searched
      await route.continue()
    })
    const bodies = recordBodies(page, searches)
    await page.goto('/wishes?q=dark+mode&sort=votes')
    await page.getByRole('searchbox').waitFor()
    await page.waitForLoadState('networkidle')
    expect(forRows(bodies)).toHaveLength(1)
    expect((await searched).postDataJSON()).toMatchObject({ query: 'dark mode', sortBy: 'votes' })
  })

  it('searches without waiting for the session where the browser has visited before', async () => {
    await test.collect('dark mode')
    const first = await test.open('/wishes?q=dark+mode')
    await row(first).waitFor()
    const again = await first.context().newPage()
    const searched = again.waitForRequest(`**${searches}`)
    // It comes only when the search was sent without it.
    await again.route('**/api/session', async (route) => {
      await searched
      await route.continue()
    })
    const bodies = recordBodies(again, searches)
    await again.goto('/wishes?q=dark+mode')
    await row(again).waitFor()
    expect(forRows(bodies)).toHaveLength(1)
  })

  it('sends the search again when its token is of an earlier session', async () => {
    const first = await test.open('/wishes?q=dark+mode')
    await row(first).waitFor()
    const answer = await first.context().request.post('/api/session', { data: { apiKey: test.service.apiKey } })
    expect(answer.status()).toBe(200)
    const again = await first.context().newPage()
    const statuses: number[] = []
    again.on('response', (response) => {
      const isSearch = new URL(response.url()).pathname === searches
      if (isSearch && response.request().postDataJSON().groupBy === 'wish') statuses.push(response.status())
    })
    await again.goto('/wishes?q=dark+mode')
    await row(again).waitFor()
    expect(statuses.sort()).toEqual([200, 403])
    expect(await again.getByRole('alert').count()).toBe(0)
  })

  it('keeps in the browser, after signing out, only when it was here', async () => {
    const page = await test.open('/')
    const stored = () => page.evaluate(() => Object.entries(localStorage).map(([name, value]) => `${name} ${value}`))
    await expect.poll(async () => (await stored()).length, patient).toBe(2)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect
      .poll(stored, patient)
      .toEqual([expect.stringMatching(/^wishwell\.visit\.\S+ \{"before":null,"last":"[-\dT:.Z]+"\}$/)])
  })

  it('opens the addresses of earlier versions, which are in mails and bookmarks', async () => {
    const page = await test.open('about:blank')
    for (const [before, now] of [
      ['/?q=dark+mode&platforms=github', '/wishes?q=dark+mode&platforms=github'],
      ['/topics/one?topic=dark+mode', '/wishes?topic=dark+mode'],
      ['/news', '/watches/news'],
      ['/channels#feeds', '/settings/channels#feeds'],
      ['/account', '/settings'],
    ] as const) {
      await page.goto(before)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(page.url()).toBe(test.service.url + now)
    }
  })

  it('shows the contact for authors, with and without a session', async () => {
    for (const as of [null, undefined]) {
      const page = await test.open('/', as === null ? { as } : {})
      const link = page.getByRole('contentinfo').getByRole('link', { name: contact })
      await expect.poll(() => link.isVisible(), patient).toBe(true)
      expect(await link.getAttribute('href')).toBe(`mailto:${contact}`)
    }
  })
})
