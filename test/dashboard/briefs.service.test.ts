import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, usePage } from './page-test.ts'

describePage('briefs', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('one is made of a search, read, saved, shared and deleted; of a changed file the change is said', async () => {
    const page = await test.open('/wishes?q=dark+mode')
    await page.getByRole('button', { name: 'Make a brief' }).click()
    await page.getByLabel('What do you have to decide?').fill('What <b>first</b>?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/briefs\/[\w-]{36}$/)
    await page.getByRole('heading', { level: 1, name: 'What people want: “dark mode”' }).waitFor()
    const { body } = await test.service.client.get(`/api/v1${new URL(page.url()).pathname}`)
    const [wish] = body.data.document.wishes
    const article = page.getByRole('article')
    const text = await article.innerText()
    for (const words of [
      'Question: What <b>first</b>?',
      `1. ${wish.title.text}`,
      `${wish.votes.toLocaleString('en-GB')} votes · `,
    ])
      expect(text).toContain(words)
    await article.getByText(`“${wish.quotes[0].text}`).waitFor()
    expect(await article.locator('ol li').count()).toBe(Math.min(3, body.data.document.wishes.length))

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as Markdown' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`brief-${body.data.snapshot.slice(0, 12)}.md`)
    const file = readFileSync(await download.path(), 'utf8')
    expect(file).toContain(`sha256:${body.data.snapshot}`)
    await page.getByRole('button', { name: 'Copy' }).waitFor()

    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create the page' }).click()
    const stranger = await test.open(await page.getByRole('dialog').locator('code').innerText(), { as: null })
    await stranger.getByRole('heading', { level: 1, name: 'What people want: “dark mode”' }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'All briefs' }).click()
    const status = page.locator('.verified')
    const verify = async (content: string) => {
      const buffer = Buffer.from(content)
      await page.getByLabel(/^File of a brief/).setInputFiles({ name: 'ours.md', mimeType: 'text/markdown', buffer })
    }
    await verify(file)
    await expect.poll(() => status.innerText(), patient).toContain('Intact.')
    await verify(file.replace(wish.title.text, 'Never asked'))
    await expect.poll(() => status.innerText(), patient).toMatch(/Changed\.[\s\S]*Line \d+[\s\S]*Never asked/)
    await verify('# Another')
    await expect.poll(() => status.innerText(), patient).toContain('Unknown.')

    await page.getByRole('button', { name: 'Delete the brief: dark mode' }).click()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await page.getByText('No briefs yet.').waitFor()
    expect((await stranger.reload())?.status()).toBe(404)
  })
})
