import { expect, it } from 'vitest'
import { describePage, jobFigure, patient, platformRow, recordKeys, usePage } from './page-test.ts'

// Holds (Dashboard): a second click or a lost response has no second effect

describePage('collecting, as most people do', () => {
  // Slow enough that one sees a job run.
  const test = usePage({ simulator: { latencyMs: 150, size: 400 } })

  it('says the cost as it changes, starts once, and shows the progress live to the end', async () => {
    const page = await test.open('/collect')
    await page.getByText('Up to 3 credits').waitFor()
    await page.getByLabel('Stack Exchange').uncheck()
    await page.getByLabel('Depth').fill('3')
    await page.getByText('Up to 6 credits').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('A topic has 2 to 100 characters.').waitFor()
    await page.getByLabel('Topic').fill('dark mode')
    const keys = recordKeys(page, '/api/v1/scrape')
    await page.getByRole('button', { name: 'Start' }).dblclick()
    await page.getByRole('heading', { name: 'dark mode' }).waitFor()
    await expect.poll(() => jobFigure(page, 'Status').innerText(), patient).toBe('completed')
    expect(keys).toHaveLength(1)
    await expect
      .poll(() => platformRow(page, 'GitHub').innerText(), patient)
      .toMatch(/done\s+3 of 3\s+[1-9]\d*\s+[1-9]/)
    expect(await jobFigure(page, 'Depth, each platform').innerText()).toBe('3 pages')
    await page.getByRole('link', { name: 'See what it found' }).click()
    await page.locator('.wish-list .wish-row').first().waitFor()
    await page.getByRole('link', { name: 'Remove the filter Found by one collection' }).waitFor()
    const next = await test.open('/collect')
    await next.getByLabel('Topic').fill('a dark theme')
    await next.getByLabel('Depth').focus()
    const gitHub = next.locator('.platform-cell', { hasText: 'GitHub' })
    await gitHub.getByText(/^\d+ wishes on 3 pages, [\d.]+ credits a wish \(1 topic like this\)$/).waitFor()
  })
})
