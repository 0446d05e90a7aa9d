import { expect, it } from 'vitest'
import { describePage, patient, usePage } from './page-test.ts'

describePage('the reference', () => {
  const test = usePage()

  it('shows the calls, makes one with a key, and asks nothing of another site', async () => {
    const page = await test.open('/', { as: null })
    const foreign: string[] = []
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(test.service.url)) foreign.push(request.url())
    })
    await page.goto('/docs/reference#tag/usage/GET/api/v1/usage')
    await page.getByLabel('Bearer Token').first().fill(test.service.apiKey)
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Send/ }).first().click()
    await expect.poll(() => page.getByText('"paygBalance"').count(), patient).toBeGreaterThan(0)
    expect(foreign).toEqual([])
  })
})
