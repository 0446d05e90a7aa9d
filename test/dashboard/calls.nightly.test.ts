import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, recordCalls, usePage } from './page-test.ts'

/** What is whole on each page of the menu. */
const pages = [
  ['Wishes', '.wish-row'],
  ['Watches', '.empty'],
  ['Settings', '.packs'],
  ['Home', '.changes li'],
] as const

describePage('the calls of the page', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('going through the pages of the menu again reads nothing again', async () => {
    const page = await test.open('/')
    const goThrough = async () => {
      for (const [name, whole] of pages) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
        await page.locator(whole).first().waitFor()
        await page.waitForLoadState('networkidle')
      }
    }
    await goThrough()
    const calls = recordCalls(page)
    await goThrough()
    expect(calls).toEqual([])
  })
})
