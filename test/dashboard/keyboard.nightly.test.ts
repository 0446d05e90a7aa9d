import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, usePage } from './page-test.ts'

/** What has the focus, as people would name it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.innerText : undefined
    return (element?.getAttribute('aria-label') ?? label ?? (element as HTMLElement | null)?.innerText ?? '').trim()
  })

/** Presses Tab, or Shift+Tab, until something of that name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const present = await focused(page)
    if (typeof name === 'string' ? present === name : name.test(present)) return
    await page.keyboard.press(key)
  }
  throw new Error(`nothing with the name ${name} was reached; the last was ${await focused(page)}`)
}

describePage('with the keyboard alone', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('from the search to a collection to a new key', async () => {
    const page = await test.open('/')
    await page.locator('.results article').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('dark mode')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '“dark mode”' }).waitFor()
    await page.locator('.results[aria-busy="false"] mark').first().waitFor()
    const titles = await page.locator('.results h2').allInnerTexts()
    await page.keyboard.press('/')
    await page.locator('#search-box').press('ArrowDown')
    await expect.poll(() => focused(page), patient).toBe(titles[0])
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page), patient).toBe(titles[1])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patient).toBe('search-box')

    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'What people wish for' }).waitFor()
    await tabTo(page, 'Collect', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Up to 3 credits').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patient).toBe('heading')
    await tabTo(page, 'Topic')
    await page.keyboard.type('keyboard shortcuts')
    await tabTo(page, 'Depth')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Up to 6 credits').waitFor()
    await tabTo(page, 'Start')
    await page.keyboard.press('Enter')
    await page.getByText('It has ended.').waitFor()

    await tabTo(page, 'Account', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await tabTo(page, 'Name')
    await page.keyboard.type('made by keyboard')
    await page.keyboard.press('Enter')
    await page.locator('.secret code').waitFor()
    await expect.poll(() => focused(page), patient).toContain('Here is the key.')
    await tabTo(page, 'Close')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patient).toBe('Account')
    await page.getByRole('row', { name: /made by keyboard/ }).waitFor()
    const revoke = 'Revoke the key made by keyboard'
    await tabTo(page, revoke)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patient).toBe('Yes, revoke it')
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page), patient).toBe(revoke)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patient).toBe('Yes, revoke it')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /made by keyboard.*revoked/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('heading')
  })

  it('a filter that was applied keeps the focus', async () => {
    const page = await test.open('/?q=dark')
    await page.locator('.results article').first().waitFor()
    await page.getByRole('button', { name: 'Filters' }).press('Enter')
    for (const [name, text] of [
      ['Topic', 'dark mode'],
      ['At least so many votes', '1'],
    ] as const) {
      const field = page.getByLabel(name, { exact: true })
      await field.fill(text)
      await field.press('Enter')
      await page.getByRole('list', { name: 'Filters in use' }).filter({ hasText: text }).waitFor()
      expect(await focused(page)).toBe(name)
      expect(await field.inputValue()).toBe(text)
    }
  })

  it('on an operator’s page / does nothing: there is no search to go to', async () => {
    const page = await test.open('/operator', { as: test.service.adminKey })
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await page.locator('#heading').focus()
    await page.keyboard.press('/')
    expect(new URL(page.url()).pathname).toBe('/operator')
  })
})
