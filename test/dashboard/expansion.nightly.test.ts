import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordKeys, usePage } from './page-test.ts'

// Holds (Dashboard): a response is shown only to the account and in the view that requested it

const searchPath = '/api/v1/requests/search'
const expand = (page: Page) => page.getByRole('button', { name: 'Expand for 1 credit' })

/** The next expanded searches get no further than to the service: their answers come when `release` is called. */
async function holdExpansions(page: Page) {
  const held = Promise.withResolvers<'given' | 'lost'>()
  await page.route(`**${searchPath}`, async (route) => {
    if (!route.request().postData()?.includes('"expand":true')) return route.fallback()
    try {
      const response = await answerOf(route)
      const fate = await held.promise
      await (fate === 'lost' ? route.abort() : route.fulfill({ response }))
    } catch {
      // The caller may have left by now, with the page or before it.
    }
  })
  return held.resolve
}

describePage('expanding a search', () => {
  const test = usePage({ simulator: { latencyMs: 30 } })
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('says its cost before, shows its topics live, and what was new after it', async () => {
    const page = await test.open('/wishes?q=calendar+sync')
    await expand(page).waitFor()
    await expand(page).click()
    const live = page.getByRole('region', { name: 'Live collection' })
    await live.getByText(/\d+ new in|Nothing new in/).waitFor()
    expect(await live.locator('.topic-progress li').first().innerText()).toMatch(/calendar sync[\s\S]*GitHub/)
    await expect.poll(() => page.locator('.wish-list .wish-row').count(), patient).toBeGreaterThan(0)
    expect((await test.service.client.get('/api/v1/usage')).body.data.credits.used).toBeGreaterThan(0)
  })

  it('its answer is never written under another view', async () => {
    const page = await test.open('/wishes?q=window+tabs')
    const release = await holdExpansions(page)
    await expand(page).click()
    await page.getByText('Finding the topics around it').waitFor()
    await page.getByRole('searchbox').fill('dark mode')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '“dark mode”' }).waitFor()
    await page.locator('.wish-list .wish-row').first().waitFor()
    release('given')
    // The expansion of this view is the next thing that the page does: nothing of the old one came before it.
    await expand(page).click()
    await page.getByText(/\d+ new in|Nothing new in/).waitFor()
    expect(await page.locator('.topic-name').allInnerTexts()).not.toContain('window tabs')
    expect((await page.locator('.wish-list .row-title').allInnerTexts()).join('\n')).toContain('dark mode')
    expect((await page.locator('.wish-list .row-title').allInnerTexts()).join('\n')).not.toContain('window tabs')
  })

  it('a second try after a lost answer is the same call, and is charged once', async () => {
    const { apiKey, client } = await test.service.createAccount('pro')
    const page = await test.open('/wishes?q=lost+words', { as: apiKey })
    await expand(page).waitFor()
    const keys = recordKeys(page, searchPath)
    const release = await holdExpansions(page)
    release('lost')
    await expand(page).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute(`**${searchPath}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/\d+ new in|Nothing new in/).waitFor()
    // The searches for rows and counts have none.
    const ofExpansions = keys.filter((key) => key !== '')
    expect(new Set(ofExpansions).size).toBe(1)
    expect(ofExpansions).toHaveLength(2)
    expect((await client.get('/api/v1/usage')).body.data.credits.used).toBe(1)
  })

  it('after its end nothing is running, and the platforms that must wait are named in a sentence', async () => {
    // Github's wait is one that a task waits for, that of the other is too long for any.
    const times = Number.POSITIVE_INFINITY
    test.simulator.setFault('github', 'rate_limit', { seconds: 900, times })
    test.simulator.setFault('stackexchange', 'rate_limit', { seconds: 7_200, times })
    try {
      const page = await test.open('/wishes?q=keyboard+shortcuts')
      await expand(page).click()
      const live = page.getByRole('region', { name: 'Live collection' })
      await page.getByRole('button', { name: 'Expand again for 1 credit' }).waitFor()
      const said = await live.innerText()
      expect(said).toContain('GitHub is waiting for its turn to be asked again; its results will be in later searches.')
      expect(said).toContain('Stack Exchange allows no more for now.')
      expect(said).not.toMatch(/\d{4}-\d{2}-\d{2}T|…/)
      expect(said.match(/later searches/g)).toHaveLength(1)
      expect(await live.locator('.state.waiting').count()).toBe(0)
      expect(await live.locator('.state.later').count()).toBeGreaterThan(0)
    } finally {
      test.simulator.clearFaults()
    }
  })

  it('without credits it says so', async () => {
    const { apiKey, client } = await test.service.createAccount('free')
    // Jobs that wait for their platform hold the whole pool.
    test.simulator.setFault('github', 'slow_headers', { seconds: 600, times: Number.POSITIVE_INFINITY })
    const held = []
    try {
      for (const depth of [40, 40, 20])
        held.push(await client.scrape({ topic: `held ${depth}`, platforms: ['github'], depth }))
      const page = await test.open('/wishes?q=nothing+left', { as: apiKey })
      await expand(page).click()
      await page.getByText('The credits are used up.').waitFor()
    } finally {
      for (const { body } of held) await client.send('DELETE', `/api/v1/scrape/${body.data.jobId}`)
      test.simulator.clearFaults()
    }
  })
})
