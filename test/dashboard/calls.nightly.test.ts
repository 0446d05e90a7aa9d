import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, recordCalls, usePage } from './page-test.ts'

/** Polls of a job and the session have limits of their own. */
const ofThePlan = (calls: string[]) => calls.filter((call) => !/\/api\/session$|\/scrape\/[^/]+(\/events)?$/.test(call))

const goTo = async (page: Page, name: string, whole: string) => {
  await page.getByRole('link', { name, exact: true }).click()
  await page.locator(whole).first().waitFor()
}

describePage('the calls that the page makes of the 20 a minute of a Free account', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('going through its pages and back reads nothing twice', async () => {
    const page = await test.open('/')
    await page.locator('.results article').first().waitFor()
    const calls = recordCalls(page)
    await goTo(page, 'Account', '.keys tbody tr')
    await goTo(page, 'Collect', '.jobs > li')
    await page.locator('.cost').getByText('left').waitFor()
    await goTo(page, 'Search', '.results article')
    await goTo(page, 'Collect', '.jobs > li')
    expect(ofThePlan(calls).toSorted()).toEqual([
      'GET /api/v1/keys',
      'GET /api/v1/platforms',
      'GET /api/v1/scrape',
      'GET /api/v1/usage',
      'GET /api/v1/usage/entries',
    ])
  })
})
