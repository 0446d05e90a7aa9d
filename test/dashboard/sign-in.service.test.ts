import { expect, it } from 'vitest'
import { answerOf, describePage, patient, usePage } from './page-test.ts'

// Holds (Dashboard): a response is shown only to the account and in the view that requested it

// Takes seconds: a browser starts, and pages load.

describePage('signing in and out', () => {
  const test = usePage()
  const admin = () => test.service.clientFor(test.service.adminKey)
  const makeLink = async () => {
    const [account] = (await admin().get('/api/admin/accounts')).body.data.results
    const { url } = (await admin().post(`/api/admin/accounts/${account.accountId}/links`, {})).body.data
    return new URL(url)
  }

  it('a link signs in once, by its button; opening it does not use it up', async () => {
    const { pathname, hash } = await makeLink()
    const preview = await test.open(pathname + hash, { as: null })
    await preview.getByRole('button', { name: 'Sign in with this link' }).waitFor()
    const page = await test.open(pathname + hash, { as: null })
    await page.getByRole('button', { name: 'Sign in with this link' }).click()
    await page.getByRole('heading', { name: 'What changed' }).waitFor()
    expect(page.url()).toBe(`${test.service.url}/`)
    await preview.getByRole('button', { name: 'Sign in with this link' }).click()
    await preview.getByText('This link was used already').waitFor()
    // The token is in no address of the browser's history.
    expect(preview.url()).toBe(`${test.service.url}/sign-in`)
  })

  it('a key signs in and opens the requested address; signing out ends the session, and nothing of the account stays in sight', async () => {
    const page = await test.open('/collect', { as: null })
    await page.getByLabel('API key', { exact: true }).fill('ww_live_00000000000000000000000000000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This key is not valid').waitFor()
    await page.getByLabel('API key', { exact: true }).fill(test.service.apiKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Collect', level: 1 }).waitFor()
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.getByText('credits left').first().waitFor()
    // A failed sign-out is shown as failed.
    await page.route('**/api/session', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await page.getByText('first account').waitFor()
    await page.unroute('**/api/session')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key', { exact: true }).waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/first account|credits left/)
    expect((await page.request.get('/api/session')).status()).toBe(401)
  })

  it('speaks the language of the browser, or the one that was chosen', async () => {
    const page = await test.open('/settings', { locale: 'de-DE' })
    await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByText('von 15.000 verbraucht').waitFor()
    await page.getByLabel('Sprache').selectOption({ label: 'English' })
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await page.goto('/')
    await page.getByRole('heading', { name: 'What changed' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  it('two accounts in two tabs never mix: every tab follows the last sign-in', async () => {
    const other = await test.service.createAccount('pro')
    const first = await test.open('/settings')
    await first.getByText('Max', { exact: true }).waitFor()
    const second = await first.context().newPage()
    await second.goto('/sign-in')
    await second.getByLabel('API key', { exact: true }).fill(other.apiKey)
    await second.getByRole('button', { name: 'Sign in' }).click()
    await second.getByText('a pro account').waitFor()
    await first.getByText('a pro account').waitFor()
    await first.getByText('Pro', { exact: true }).waitFor()
    await expect.poll(() => first.getByText('Max', { exact: true }).count(), patient).toBe(0)
    await second.getByRole('button', { name: 'Sign out' }).click()
    await first.getByLabel('API key', { exact: true }).waitFor()
    expect(await first.locator('body').innerText()).not.toMatch(/a pro account|credits left/)
  })

  it('an answer about the session before does not end the one that was begun since', async () => {
    const page = await test.open('/collect')
    await page.getByText('Up to 3 credits').waitFor()
    await page.context().clearCookies()
    const held = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    await page.route(
      '**/api/v1/watches?**',
      async (route) => {
        const response = await answerOf(route)
        late.resolve()
        await held.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.getByRole('link', { name: 'Watches' }).click()
    await late.promise
    const second = await page.context().newPage()
    await second.goto('/sign-in')
    await second.getByLabel('API key', { exact: true }).fill(test.service.apiKey)
    const read = page.waitForResponse('**/api/session')
    await second.getByRole('button', { name: 'Sign in' }).click()
    expect((await read).status()).toBe(200)
    await second.getByText('first account').waitFor()
    held.resolve()
    await page.getByText('No watch yet').first().waitFor()
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
  })

  it('an answer that belongs to the account before is not shown', async () => {
    const other = await test.service.createAccount('free')
    const page = await test.open('/')
    const held = Promise.withResolvers<void>()
    await page.route(
      '**/api/v1/usage?**',
      async (route) => {
        const response = await answerOf(route)
        await held.promise
        // The caller may have left by now.
        await route.fulfill({ response }).catch(() => {})
      },
      { times: 1 },
    )
    await page.getByRole('link', { name: 'Settings' }).click()
    const second = await page.context().newPage()
    await second.goto('/sign-in')
    await second.getByLabel('API key', { exact: true }).fill(other.apiKey)
    await second.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('a free account').waitFor()
    held.resolve()
    await page.getByText('Free', { exact: true }).waitFor()
    expect(await page.getByText('Max', { exact: true }).count()).toBe(0)
  })
})
