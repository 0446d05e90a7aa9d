import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, usePage } from './page-test.ts'

describePage('sharing and inviting', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('a wish is shared from where it is seen, read by who has no key, and revoked', async () => {
    const page = await test.open('/wishes?topic=dark+mode')
    await page.locator('.wish-list .row-title a').first().click()
    const panel = page.getByRole('region', { name: 'Wish', exact: true })
    const title = (await panel.getByRole('heading', { level: 2 }).innerText()).trim()
    await panel.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title on the page').fill('For the board')
    await dialog.getByRole('button', { name: 'Create the page' }).click()
    const address = await dialog.locator('code').innerText()
    const stranger = await test.open(address, { as: null })
    await stranger.getByText(title).first().waitFor()
    expect(await stranger.title()).toContain('For the board')
    await page.keyboard.press('Escape')
    await panel.getByRole('button', { name: /^Shared until / }).click()
    await dialog.getByText('For the board').waitFor()
    await page.keyboard.press('Escape')
    await page.goto('/settings/sharing')
    await page.getByText('For the board').waitFor()
    await page.getByRole('button', { name: 'Revoke the page of For the board' }).click()
    await page.getByRole('button', { name: 'Yes, revoke it' }).click()
    await page.getByText('Nothing is shared.').waitFor()
    expect((await stranger.reload())?.status()).toBe(404)
  })

  it('a list is shared as it is seen: what the account marked alone, and no list of one collection', async () => {
    const { body } = await test.service.client.get('/api/v1/wishes?limit=2')
    const [first, second] = body.data.results as { wishId: string; title: string }[]
    await test.service.client.send('PUT', `/api/v1/wishes/${first!.wishId}/mark`, {
      body: JSON.stringify({ starred: true }),
      headers: { 'content-type': 'application/json' },
    })
    const page = await test.open('/wishes?starred=yes')
    await page.getByRole('button', { name: 'Share' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create the page' }).click()
    const stranger = await test.open(await page.getByRole('dialog').locator('code').innerText(), { as: null })
    await stranger.getByText(first!.title).first().waitFor()
    expect(await stranger.getByText(second!.title).count()).toBe(0)
    await page.goto('/wishes?include=maybe')
    await page.locator('.wish-list .wish-row').first().waitFor()
    expect(await page.locator('.page-head').getByRole('button', { name: 'Share' }).count()).toBe(0)
  })

  it('a list is kept under a name: opened, changed, renamed, deleted and taken back, on another machine too', async () => {
    const page = await test.open('/wishes')
    const tabs = (at = page) => at.getByRole('navigation', { name: 'Views' })
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const fill = async (name: string, confirm: string) => {
      await page.getByRole('dialog').getByLabel('Name').fill(name)
      await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await expect.poll(() => button('Save view').isDisabled(), patient).toBe(true)
    await page.goto('/wishes?q=dark+mode&platforms=github&sort=votes')
    await button('Save view').click()
    await page.getByText('It keeps: “dark mode” · GitHub · Order: Most votes.').waitFor()
    await fill('Dark <b>one</b>', 'Save view')
    await heading('Dark <b>one</b>')

    await tabs().getByRole('link', { name: 'Rising' }).click()
    await tabs().getByRole('link', { name: 'Dark <b>one</b>' }).click()
    await page.getByRole('link', { name: '30 days' }).click()
    await button('Save changes').click()
    await page.getByText('Saved: “Dark <b>one</b>”.').waitFor()
    const [kept] = (await test.service.client.get('/api/v1/views')).body.data.results
    const { query, sortBy, filters } = kept.view
    expect([query, sortBy, filters, kept.periodDays]).toEqual(['dark mode', 'votes', { platforms: ['github'] }, 30])

    await button('Rename or delete “Dark <b>one</b>”').click()
    await fill('Dark two', 'Rename')
    await heading('Dark two')
    const elsewhere = await test.open('/wishes')
    await tabs(elsewhere).getByRole('link', { name: 'Dark two' }).click()
    await elsewhere.waitForURL(/q=dark\+mode&platforms=github&since=/)
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Dark two' }).click()

    await button('Rename or delete “Dark two”').click()
    await button('Delete view').click()
    await page.getByText('Deleted: “Dark two”.').waitFor()
    expect(await tabs().getByRole('link', { name: 'Dark two' }).count()).toBe(0)
    await button('Undo').click()
    await tabs().getByRole('link', { name: 'Dark two' }).waitFor()
  })

  it('a person is invited by name, comes in, and is named where credits were spent', async () => {
    const page = await test.open('/settings/people')
    await page.getByLabel('Name of the person').fill('Ana')
    await page.getByRole('button', { name: 'Invite' }).click()
    const address = await page.locator('.secret code').innerText()
    const ana = await test.open(address, { as: null })
    await ana.getByRole('button', { name: 'Sign in with this link' }).click()
    await ana.getByRole('heading', { name: 'What changed' }).waitFor()
    await ana.getByRole('button', { name: 'Collect' }).click()
    const dialog = ana.getByRole('dialog')
    await dialog.getByLabel('Topic').fill('offline maps')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await ana.getByRole('heading', { name: 'offline maps' }).waitFor()
    await page.goto('/settings')
    const row = page.getByRole('row', { name: /offline maps/ }).first()
    await row.getByText('Ana').waitFor()
    await page.goto('/settings/people')
    await page.getByText('signed in').waitFor()
    await page.getByRole('button', { name: 'Remove Ana' }).click()
    await page.getByRole('button', { name: 'Yes, remove them' }).click()
    await page.getByText('Nobody was invited yet.').waitFor()
    await expect.poll(async () => (await ana.request.get('/api/session')).status(), patient).toBe(401)
  })

  it('the operator sees on one page what fails, what waits and when it was backed up', async () => {
    const page = await test.open('/operator', { as: test.service.adminKey })
    await page.getByText('Ready').first().waitFor()
    await page.getByText('There is none. Run wishwell admin backup.').waitFor()
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Used this month' }).waitFor()
  })
})
