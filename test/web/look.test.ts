import { mkdirSync } from 'node:fs'
import { it } from 'vitest'
import { describePage, usePage } from './page-test.ts'

const shots = '/tmp/shots'
mkdirSync(shots, { recursive: true })
describePage('look', () => {
  const test = usePage({
    simulator: { size: 60 },
    platforms: 'github,hackernews,stackexchange,discourse,lemmy,gitlab,reddit',
  })
  it('shots', async () => {
    const job = await test.collect('dark mode', {
      platforms: ['github', 'hackernews', 'stackexchange', 'discourse'],
      depth: 2,
    })
    await test.collect('offline mode')
    await test.service.createAccount('pro')
    const account = await test.service.createAccount('max')
    await account.client.waitForJob(
      (await account.client.scrape({ topic: 'keyboard shortcuts', depth: 3 })).body.data.jobId,
      60000,
    )
    const views: [string, string, string, string?][] = [
      ['search', '/?q=dark+mode', '.results mark'],
      ['collect', '/collect', '.jobs li'],
      ['job', `/collect/${job}`, '.job-platforms .badge.done'],
      ['topic', '/topics/one?topic=dark+mode', '.wishes li'],
      ['account', '/account', '.keys tbody tr'],
      ['topics', '/topics', '.topics li'],
      ['operator', '/operator', 'tbody tr', test.service.adminKey],
      ['operator-account', `/operator/accounts/${account.accountId}`, '.keys tbody tr', test.service.adminKey],
    ]
    for (const [scheme, width, height] of [
      ['light', 1100, 760],
      ['dark', 1100, 760],
      ['light', 360, 740],
    ] as const) {
      for (const [name, path, selector, as] of views) {
        const page = await test.open(path, { colorScheme: scheme, viewport: { width, height }, ...(as ? { as } : {}) })
        await page.locator(selector).first().waitFor()
        await page.screenshot({ path: `${shots}/v-${name}-${scheme}-${width}.png` })
        await page.context().close()
      }
    }
  })
})
