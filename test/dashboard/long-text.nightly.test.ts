import { beforeAll, expect, it } from 'vitest'
import { preparePage } from '../../src/requests/store/prepared-page.ts'
import { storePage } from '../../src/requests/store/store.ts'
import { foundRequest } from '../scripted-platform.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, recordCalls, usePage } from './page-test.ts'

describePage('a long description', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath === null) return
    const description = `A needle. ${'Some words about it. '.repeat(300)}This is the end.`
    const found = await preparePage('github', { requests: [foundRequest('1', { title: 'Long', description })] }, null)
    const page = { ...found, platform: 'github' as const, topic: 'long texts', jobId: null, markSeenBefore: null }
    await test.service.database.transaction().execute((open) => storePage(open, { ...page, now: new Date() }))
  })

  it('is shown by its beginning in the results, and whole on demand', async () => {
    const page = await test.open('/?q=needle')
    const text = page.locator('.results article .description p')
    await text.waitFor()
    const calls = recordCalls(page)
    await page.getByRole('button', { name: 'Show all of it' }).click()
    await expect.poll(() => text.innerText(), patient).toMatch(/This is the end\.$/)
    expect(calls.map((call) => call.replace(/[0-9a-f-]{36}/, '…'))).toEqual(['GET /api/v1/requests/…'])
    await page.getByRole('button', { name: 'Show less' }).click()
    await expect.poll(() => text.innerText(), patient).toMatch(/…$/)
  })
})
