import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordKeys, usePage } from './page-test.ts'

// Holds (Dashboard): a second click or a lost response has no second effect

describePage('the operator', () => {
  const test = usePage()
  let asOperator: { as: string }
  let accountPath: string
  let account: Awaited<ReturnType<typeof test.service.createAccount>>
  beforeAll(async () => {
    if (chromiumPath === null) return
    asOperator = { as: test.service.adminKey }
    account = await test.service.createAccount('free')
    accountPath = `/operator/accounts/${account.accountId}`
    await test.collect('dark mode', { platforms: ['github'] })
  })

  it('signs in with the admin key, and makes an account whose key is shown once', async () => {
    const page = await test.open('/', { as: null })
    await page.getByLabel('API key', { exact: true }).fill(test.service.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Plan', { exact: true }).selectOption('pro')
    await page.getByRole('button', { name: 'Create an account' }).click()
    const apiKey = await page.locator('.secret code').innerText()
    const usage = await test.service.clientFor(apiKey).get('/api/v1/usage')
    expect(usage.body.data.tier).toBe('pro')
    await page.getByRole('link', { name: 'Ada' }).waitFor()
  })

  it('reads first what to do about the service, and nothing where that is nothing', async () => {
    const page = await test.open('/', asOperator)
    await page.getByText('Ready').first().waitFor()
    expect(await page.getByRole('complementary', { name: 'What to do about this service' }).count()).toBe(0)
    await page.route('**/api/admin/overview', async (route) => {
      const { data } = await (await route.fetch()).json()
      await route.fulfill({ json: { data: { ...data, warnings: ['Set SEARCH_URL.'] } } })
    })
    await page.reload()
    const advice = page.getByRole('complementary', { name: 'What to do about this service' })
    await advice.getByText('Set SEARCH_URL.').waitFor()
  })

  it('deletes requests only after a look at what would go, and its name typed', async () => {
    const page = await test.open('/operator', asOperator)
    await page.getByRole('link', { name: 'Delete requests' }).click()
    await page.getByRole('button', { name: 'See what would be deleted' }).click()
    await page.getByText('Say what to delete.').waitFor()
    const total = async () => (await test.service.client.get('/api/v1/requests/facets')).body.data.total
    const { results } = (await test.service.client.get('/api/v1/requests?limit=1')).body.data
    const before = await total()
    await page.getByLabel('What to delete').selectOption('url')
    await page.getByLabel('Address of the request').fill(results[0].sourceUrl)
    await page.getByRole('button', { name: 'See what would be deleted' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 request will be deleted.').waitFor()
    await dialog.getByText(results[0].title).waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete 1 request' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type http/).fill('http')
    expect([await confirm.isDisabled(), await total()]).toEqual([true, before])
    await dialog.getByLabel(/^Type http/).fill(results[0].sourceUrl)
    await confirm.click()
    await page.getByText('1 request deleted.').waitFor()
    expect([await dialog.count(), await total()]).toEqual([0, before - 1])
  })

  it('sees pool and usage, changes plan and cap, and adds a pack once for two clicks', async () => {
    const page = await test.open(accountPath, asOperator)
    await page.getByText('0 of 100 used').first().waitFor()
    await page.getByLabel('Plan', { exact: true }).selectOption('pro')
    await page.getByLabel('Monthly pay-as-you-go cap').fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A whole number of credits').waitFor()
    await page.getByLabel('Monthly pay-as-you-go cap').fill('500')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('0 of 5,000 used').first().waitFor()
    const keys = recordKeys(page, /\/packs$/)
    await page.route('**/packs', async (route) => {
      await answerOf(route)
      await route.abort()
    })
    const starter = page.getByRole('button', { name: 'Starter: 1,300 credits' })
    const confirm = page.getByRole('button', { name: 'Yes, add them' })
    await starter.click()
    await page.getByText(/^Add 1,300 credits to “.+”\? They cannot be taken back\.$/).waitFor()
    expect(keys).toEqual([])
    await confirm.dblclick()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute('**/packs')
    await starter.click()
    await confirm.click()
    await page.getByText('Starter was added: the balance is 1,300 credits.').waitFor()
    expect(new Set(keys).size).toBe(1)
    expect((await account.client.get('/api/v1/usage')).body.data.paygBalance).toBe(1_300)
    await starter.click()
    await confirm.click()
    await page.getByText('the balance is 2,600 credits').waitFor()
  })

  it('makes, lists and revokes invitations, and ends sessions', async () => {
    const page = await test.open(accountPath, asOperator)
    const theirs = await test.open('/', { as: account.apiKey })
    await page.getByRole('button', { name: 'Create an invitation' }).click()
    const url = new URL(await page.locator('.secret code').innerText())
    await expect.poll(() => page.locator('.links > li').count(), patient).toBe(1)
    await page.getByRole('button', { name: 'Revoke all of them' }).click()
    await page.getByRole('button', { name: 'Yes, revoke them' }).click()
    await page.getByText('1 invitation revoked.').waitFor()
    const invited = await test.open(url.pathname + url.hash, { as: null })
    await invited.getByRole('button', { name: 'Sign in with this link' }).click()
    await invited.getByText('This link was used already, or it is too old').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Yes, end them' }).click()
    await page.getByText('1 session ended.').waitFor()
    await theirs.getByRole('link', { name: 'Settings', exact: true }).click()
    await theirs.getByText('Your session has ended.').first().waitFor()
  })

  it('makes and revokes keys of an account', async () => {
    const page = await test.open(accountPath, asOperator)
    await page.getByLabel('Name', { exact: true }).fill('made for them')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const apiKey = await page.locator('.secret code').innerText()
    expect((await test.service.clientFor(apiKey).get('/api/v1/usage')).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke the key made for them' }).click()
    await page.getByRole('button', { name: 'Yes, revoke it' }).click()
    await expect.poll(async () => (await test.service.clientFor(apiKey).get('/api/v1/usage')).status, patient).toBe(401)
  })

  it('sees every platform with what to do, the jobs of all, and that the ledger is sound', async () => {
    const page = await test.open('/operator/platforms', asOperator)
    await page.getByText('Add bluesky to PLATFORMS').waitFor()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByText('dark mode').waitFor()
    await page.getByRole('link', { name: 'first account' }).waitFor()
    await page.getByRole('link', { name: 'Ledger' }).click()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The ledger is sound').waitFor()
  })

  it('deletes an account after a question', async () => {
    const doomed = await test.service.createAccount('pro')
    const page = await test.open(`/operator/accounts/${doomed.accountId}`, asOperator)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    expect((await doomed.client.get('/api/v1/usage')).status).toBe(401)
  })

  it('sees when the session has ended, and continues at the same address after a new sign-in', async () => {
    const page = await test.open('/operator/jobs', asOperator)
    await page.getByText('dark mode').waitFor()
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Platforms' }).click()
    await page.getByText('Sign in again with the admin key').waitFor()
    await page.getByLabel('API key', { exact: true }).fill(test.service.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Add bluesky to PLATFORMS').waitFor()
  })

  it('an account does not see the operator’s pages, nor the operator an account’s', async () => {
    const page = await test.open('/operator')
    await page.getByText('This page is the operator’s.').waitFor()
    const operator = await test.open('/settings', asOperator)
    await operator.getByText('This page belongs to an account.').waitFor()
  })
})
