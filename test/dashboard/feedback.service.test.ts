import { expect, it } from 'vitest'
import { describePage, patient, usePage } from './page-test.ts'

describePage('importing feedback', () => {
  const test = usePage()

  it('a file is checked, its columns are changed, it is imported, found and deleted; a wrong row is named', async () => {
    const page = await test.open('/collect')
    await page.getByRole('link', { name: 'Import feedback' }).click()
    const choose = (text: string) =>
      page
        .getByLabel(/^CSV, JSON Lines or JSON/)
        .setInputFiles({ name: 'Our board.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await choose('Subject,Text,Score\nDark <b>mode</b>,Please add it,many\nSync,Please add it,x\n')
    await expect.poll(() => page.locator('.wrong-rows').innerText(), patient).toMatch(/line 2 many.*\n.*line 3 x/)
    await choose('Subject,Text,Score,Number\nDark <b>mode</b>,Please add it,7,1\n')
    await page.getByText('1 row, 1 ask.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('our-board')
    expect(await page.getByLabel('Title').inputValue()).toBe('Subject')
    await page.getByLabel('Votes').selectOption('Number')
    await page.getByLabel('Each row is a feature request').check()
    await expect
      .poll(() => page.getByRole('row').last().innerText(), patient)
      .toMatch(/^Dark <b>mode<\/b>\s+Please add it\s+1/)
    await page.getByRole('button', { name: 'Import 1 ask' }).click()
    await page.getByText('Imported as import:our-board: 1 new').waitFor()
    const list = page.getByRole('region', { name: 'Imports' })
    await expect.poll(() => list.innerText(), patient).toContain('import:our-board 1 ask')
    const found = await test.open('/wishes?q=dark+mode')
    await found.getByText('Dark <b>mode</b>').first().waitFor()
    await list.getByRole('button', { name: 'Delete import:our-board' }).click()
    await list.getByRole('button', { name: 'Yes, delete it' }).click()
    await list.getByText('Nothing is imported yet.').waitFor()
  })
})
