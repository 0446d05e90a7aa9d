import { beforeAll, expect, it } from 'vitest'
import { preparePage } from '../../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../../src/requests/store/store.ts'
import { foundRequest } from '../scripted-platform.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, patient, recordCalls, usePage } from './page-test.ts'

// Holds (Dashboard): texts from platforms are shown as text, never as markup

const script = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
const rightToLeft = '\u202Egnirts desrever\u202C عربي'
const zeroWidth = 'a\u200B\u200Cb\u2060c'
const long = 'W'.repeat(10_000)
const texts = [script, rightToLeft, zeroWidth, long]

const author = (name: string, id: number) => ({ handle: name.slice(0, 200), name: name.slice(0, 200), id })

describePage('hostile texts', () => {
  const test = usePage({
    simulator: {
      records: {
        github: texts.map((text, index) => ({
          title: `hostile ${text}`,
          body: `hostile ${text}`,
          tags: [`tag ${text}`.slice(0, 90)],
          author: author(text, index),
          votes: index,
        })),
      },
    },
  })
  let jobId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    jobId = await test.collect('hostile', { platforms: ['github'] })
    await test.collect(`<b onmouseover=alert(1)>${rightToLeft}`.slice(0, 100), { platforms: ['github'] })
    const name = `${script}${rightToLeft}`.slice(0, 100)
    const watch = { name, topic: rightToLeft, platforms: ['github'], schedule: 'daily', monthlyCredits: 9 }
    await test.service.client.post('/api/v1/watches', { ...watch, goal: `${script} ${long.slice(0, 400)}` })
    const channel = { type: 'webhook', name, url: 'https://8.8.8.8/hook' }
    expect((await test.service.client.post('/api/v1/channels', channel)).status).toBe(200)
    await test.service.client.post('/api/v1/keys', { name: `${script}${rightToLeft}`.slice(0, 100) })
  })

  it('are shown as the text that they are, in every field, and break nothing', async () => {
    const paths = [
      // None of them reads like a request.
      '/?include=all',
      '/?q=hostile&include=all',
      `/?q=${encodeURIComponent(script)}&include=all`,
      '/collect',
      `/collect/${jobId}`,
      '/topics',
      '/account',
      '/watches',
      '/news',
      '/channels',
      '/watches/new?topic=<script>&platforms=<b>&depth=-1&sources.github=<i>',
    ]
    const whole =
      '.results article, .empty, .jobs > li, .job-platforms, .topics > li, .keys tbody tr, .channel, .watch-form'
    for (const width of [1200, 360]) {
      const page = await test.open('about:blank', { viewport: { width, height: 800 } })
      for (const path of paths) {
        await page.goto(path)
        await page.locator(whole).first().waitFor()
        expect(await page.evaluate(() => (window as unknown as { broken?: number }).broken), path).toBeUndefined()
        expect(await page.locator('main img, main script').count(), path).toBe(0)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, `pixels that ${path} is too wide at ${width}`).toBeLessThanOrEqual(0)
      }
    }
  })

  it('a title with markup is read as it was written', async () => {
    const page = await test.open('/?q=hostile&include=all')
    await page.locator('.results h2', { hasText: '<script>window.broken=1</script>' }).first().waitFor()
  })

  it('an address with nonsense in every part is an ordinary view', async () => {
    const much = long.slice(0, 2_000)
    const nonsense = `/?q=${much}&platforms=<script>,GITHUB,&tag=${much}&votes=-1e99&since=2026-02-31&until=never&sort=__proto__&job=%20&status=<b>,constructor&include=toString`
    const page = await test.open(nonsense)
    await page.getByRole('searchbox').waitFor()
    await page.locator('.results article, .empty, .problem').first().waitFor()
    expect(await page.getByRole('list', { name: 'Filters in use' }).count()).toBe(0)
  })
})

describePage('a long description', () => {
  const test = usePage()
  beforeAll(async () => {
    if (chromiumPath === null) return
    const description = `A needle. ${'Some words about it. '.repeat(300)}This is the end.`
    const found = await preparePage('github', { requests: [foundRequest('1', { title: 'Long', description })] }, null)
    const page = { ...found, platform: 'github' as const, topic: 'long texts', jobId: null, markSeenBefore: null }
    await storePageAlone(test.service.database, { ...page, now: new Date() })
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
