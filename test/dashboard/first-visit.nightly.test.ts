import { expect, it } from 'vitest'
import { describePage, patient, recordCalls, usePage } from './page-test.ts'

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
    await page.goto('/topics')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(calls.filter((call) => call === 'GET /api/session')).toHaveLength(1)
  })

  it('searches for what the address says while the page is still on its way, and not again when it is there', async () => {
    const page = await test.open('/healthz')
    const searched = page.waitForRequest('**/api/v1/requests/search')
    // It comes only when the search was sent without it.
    await page.route('**/assets/main-*.js', async (route) => {
      await searched
      await route.continue()
    })
    const calls = recordCalls(page)
    await page.goto('/?q=dark+mode&sort=votes')
    await page.getByRole('searchbox').waitFor()
    await page.waitForLoadState('networkidle')
    expect(calls.filter((call) => call === 'POST /api/v1/requests/search')).toHaveLength(1)
    expect((await searched).postDataJSON()).toMatchObject({ query: 'dark mode', sortBy: 'votes' })
  })

  it('searches without waiting for the session where the browser has visited before', async () => {
    await test.collect('dark mode')
    const first = await test.open('/?q=dark+mode')
    await first.locator('.results article').first().waitFor()
    const again = await first.context().newPage()
    const searched = again.waitForRequest('**/api/v1/requests/search')
    // It comes only when the search was sent without it.
    await again.route('**/api/session', async (route) => {
      await searched
      await route.continue()
    })
    const calls = recordCalls(again)
    await again.goto('/?q=dark+mode')
    await again.locator('.results article').first().waitFor()
    expect(calls.filter((call) => call === 'POST /api/v1/requests/search')).toHaveLength(1)
  })

  it('sends the search again when its token is of an earlier session', async () => {
    const first = await test.open('/?q=dark+mode')
    await first.locator('.results article').first().waitFor()
    const answer = await first.context().request.post('/api/session', { data: { apiKey: test.service.apiKey } })
    expect(answer.status()).toBe(200)
    const again = await first.context().newPage()
    const statuses: number[] = []
    again.on('response', (response) => {
      if (new URL(response.url()).pathname === '/api/v1/requests/search') statuses.push(response.status())
    })
    await again.goto('/?q=dark+mode')
    await again.locator('.results article').first().waitFor()
    expect(statuses.sort()).toEqual([200, 403])
    expect(await again.getByRole('alert').count()).toBe(0)
  })

  it('stores nothing in the browser after signing out', async () => {
    const page = await test.open('/')
    await expect.poll(() => page.evaluate(() => localStorage.length), patient).toBe(1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.evaluate(() => localStorage.length), patient).toBe(0)
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
