import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, recordCalls, usePage } from './page-test.ts'

const rows = (page: Page) => page.locator('.wish-list .wish-row')
const accountsOf = (test: ReturnType<typeof usePage>) => test.service.clientFor(test.service.adminKey)

describePage('failing states', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('offline: what is shown stays, it says so, and it goes on when the connection is back', async () => {
    const page = await test.open('/wishes?q=dark')
    await rows(page).first().waitFor()
    const title = await rows(page).first().locator('.row-title').innerText()
    await page.context().setOffline(true)
    await page.getByLabel('Sort by').selectOption('new')
    await page.getByText('You are offline.').waitFor()
    expect(await rows(page).first().locator('.row-title').innerText()).toBe(title)
    // Also for another query whose results cannot be read: the shown results name their query.
    await page.getByRole('searchbox').fill('dark mode')
    await page.keyboard.press('Enter')
    await page.getByText('Still shown: the results for “dark”.').waitFor()
    await page.getByText('You are offline.').waitFor()
    expect(await rows(page).first().locator('.row-title').innerText()).toBe(title)
    await page.context().setOffline(false)
    await expect.poll(() => page.getByText('You are offline.').count(), patient).toBe(0)
    await expect.poll(() => page.getByText('Still shown').count(), patient).toBe(0)
    await page.locator('.wish-list[aria-busy="false"] .wish-row').first().waitFor()
  })

  it('what is loaded when it is shown, and cannot be, leaves the rest of the page', async () => {
    const page = await test.open('about:blank')
    await page.route('**/assets/panel-*', (route) => route.abort())
    await page.goto('/wishes')
    await rows(page).first().locator('.row-title a').click()
    await page.getByText('This part of the page has failed.').waitFor()
    expect(await rows(page).count()).toBeGreaterThan(1)
  })

  it('an expired session says so, and goes on where it was after signing in', async () => {
    const page = await test.open('/wishes?q=dark')
    await rows(page).first().waitFor()
    const [account] = (await accountsOf(test).get('/api/admin/accounts')).body.data.results
    await accountsOf(test).send('DELETE', `/api/admin/accounts/${account.accountId}/sessions`)
    await page.getByLabel('Sort by').selectOption('votes')
    await page.getByText('Sign in again to go on where you are.').waitFor()
    await page.getByLabel('API key', { exact: true }).fill(test.service.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => page.getByText('Sign in again to go on where you are.').count(), patient).toBe(0)
    await rows(page).first().waitFor()
    await expect.poll(() => page.getByText('Your session has ended.').count(), patient).toBe(0)
    expect(new URL(page.url()).search).toBe('?q=dark&sort=votes')
  })

  it('a call after the end of the session is shown as refused, and is repeated after the sign-in', async () => {
    const page = await test.open('/wishes?q=dark')
    await rows(page).first().waitFor()
    await page.context().clearCookies()
    for (const name of ['Watches', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.locator('.problem').getByText('Your session has ended.').first().waitFor()
    }
    await page.getByLabel('API key', { exact: true }).fill(test.service.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Max', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Watches', exact: true }).click()
    await page.getByText('No watch yet').waitFor()
  })

  it('a session that is over can be left', async () => {
    const page = await test.open('/topics')
    await page.getByRole('link', { name: 'dark mode' }).waitFor()
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByText('Sign in again to go on where you are.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Sign in again to go on where you are.').waitFor({ state: 'detached' })
    await page.getByLabel('API key', { exact: true }).waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/first account|You are still signed in/)
  })

  it('a job that is followed while the session ends is followed again after signing in', async () => {
    const jobId = await test.collect('followed', { platforms: ['hackernews'] })
    const page = await test.open('/wishes')
    await rows(page).first().waitFor()
    await page.context().clearCookies()
    await page.evaluate((address) => history.pushState({}, '', address), `/collect/${jobId}`)
    await page.evaluate(() => window.dispatchEvent(new PopStateEvent('popstate')))
    await page.getByText('Sign in again to go on where you are.').waitFor()
    await page.getByLabel('API key', { exact: true }).fill(test.service.apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/^Finished in/).waitFor()
  })

  it('a collection that costs more than is left says both figures, when there is more, and what helps', async () => {
    const { apiKey } = await test.service.createAccount('free')
    const page = await test.open('/collect?topic=too+dear&platforms=github,hackernews,stackexchange&depth=40', {
      as: apiKey,
    })
    await page.getByText('only 100 left').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('It costs up to 120 credits, and you have 100 left.').waitFor()
    await page.getByText('the monthly pool renews on').waitFor()
    expect(await page.getByText('The credits are used up.').count()).toBe(0)
    await page.getByRole('link', { name: 'Plan and credits' }).click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  })

  it('an address that does not exist leads home', async () => {
    const page = await test.open('/nowhere')
    await page.getByText('There is no such page.').waitFor()
    await page.getByRole('link', { name: 'Go to Home' }).click()
    await page.getByRole('heading', { name: 'What changed' }).waitFor()
  })
})

describePage('too many calls', () => {
  let now = new Date('2026-11-20T12:00:00.000Z')
  const test = usePage({
    service: {
      clock: { now: () => now },
      requestLimits: { ofTier: () => 8, polls: 600, page: 8, feedback: 8, withoutKey: 60, files: 1_000_000 },
    },
  })

  // Every test has a minute of its own, whatever became of the one before.
  beforeEach(() => {
    now = new Date(now.getTime() + 120_000)
  })

  it('it says so once, counts down for the eye, and goes on by itself', async () => {
    const page = await test.open('/collect')
    await page.getByText('Up to 3 credits').waitFor()
    await page.clock.install()
    for (let call = 0; call < 9; call++) await page.request.get('/api/v1/topics')
    await page.getByRole('link', { name: 'Watches' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Too many calls in a minute.' })
    await alert.waitFor()
    const said = await alert.innerText()
    const countdown = page.locator('.countdown')
    const before = await countdown.innerText()
    await page.clock.fastForward(5_000)
    await expect.poll(() => countdown.innerText(), patient).not.toBe(before)
    expect(await alert.innerText()).toBe(said)
    expect(await countdown.getAttribute('aria-hidden')).toBe('true')
    const calls = recordCalls(page)
    now = new Date(now.getTime() + 61_000)
    await page.clock.fastForward(61_000)
    await page.getByText('No watch yet').waitFor()
    expect(calls.filter((call) => call === 'GET /api/v1/watches')).toHaveLength(1)
  })
})
