import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeTracker, startFakeGithub } from '../../src/notifications/trackers/testing.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, usePage } from './page-test.ts'

describePage('pushing a wish', () => {
  let github: FakeTracker
  const test = usePage({ service: { environment: { ALLOW_PRIVATE_TARGETS: 'true' } } })
  beforeAll(async () => {
    github = await startFakeGithub(() => new Date())
    if (chromiumPath !== null) await test.collect('dark mode')
  })
  afterAll(() => github.close())

  it('a tracker is added, a wish is pushed there, and its issue, status and drafts are seen and taken back', async () => {
    const page = await test.open('/channels')
    await page.getByRole('button', { name: 'Add a tracker' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Our app')
    await page.getByLabel('Repository').fill('acme/none')
    await page.getByLabel('Access token').fill('token')
    await page.getByLabel('Address of its API').fill('http://127.0.0.1:9')
    await page.getByRole('button', { name: 'Add a tracker' }).click()
    await page.getByRole('textbox', { name: 'Address of its API', description: /port is not one of HTTP/ }).waitFor()
    await page.getByLabel('Address of its API').fill(github.url)
    await page.getByRole('button', { name: 'Add a tracker' }).click()
    await page
      .getByText('it is not there, or the token does not see it')
      .or(page.getByText('does not find it'))
      .first()
      .waitFor()
    await page.getByLabel('Repository').fill('acme/app')
    await page.getByRole('button', { name: 'Add a tracker' }).click()
    await page.getByRole('heading', { level: 3, name: 'Our app' }).waitFor()

    await page.goto('/wishes?topic=dark+mode')
    await page.locator('.wish-list .row-title a').first().click()
    const issues = page.getByRole('region', { name: 'Issues of this wish' })
    await issues.getByText('Push to …').click()
    await issues.getByRole('button', { name: 'Our app' }).click()
    await issues.getByText('waits to be sent').waitFor()
    await test.service.deliverEvents()
    const link = issues.getByRole('link', { name: '#1' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://github.com/acme/app/issues/1')
    await issues.getByText('open', { exact: true }).waitFor()
    await issues.getByRole('button', { name: 'What to tell those who asked' }).click()
    await issues.getByText('We track it as #1.').first().waitFor()
    await issues.getByRole('button', { name: 'Take back the issue at Our app' }).click()
    await issues.getByRole('button', { name: 'Yes, take it back' }).click()
    await issues.getByText('is being closed').waitFor()
    // After the issue that was just made GitHub is left alone for a second.
    await expect
      .poll(() => test.service.deliverEvents().then(() => github.issues.map(({ state }) => state)), { timeout: 10_000 })
      .toEqual(['NOT_PLANNED'])
    await issues.getByText('was taken back').waitFor()
    expect(github.issues.map(({ state }) => state)).toEqual(['NOT_PLANNED'])
  })
})
