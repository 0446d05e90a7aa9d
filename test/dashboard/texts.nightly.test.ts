import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, usePage } from './page-test.ts'

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
  let wishId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    jobId = await test.collect('hostile', { platforms: ['github'] })
    await test.collect(`<b onmouseover=alert(1)>${rightToLeft}`.slice(0, 100), { platforms: ['github'] })
    const name = `${script}${rightToLeft}`.slice(0, 100)
    const watch = { name, topic: rightToLeft, platforms: ['github'], schedule: 'daily', monthlyCredits: 9 }
    await test.service.client.post('/api/v1/watches', { ...watch, goal: `${script} ${long.slice(0, 400)}` })
    const channel = { type: 'webhook', name, url: 'https://8.8.8.8/hook' }
    expect((await test.service.client.post('/api/v1/channels', channel)).status).toBe(200)
    await test.service.client.post('/api/v1/keys', { name })
    await test.service.client.post('/api/v1/links', { personName: name })
    const [{ _id }] = (await test.service.client.get('/api/v1/requests?include=all&limit=1')).body.data.results
    await test.service.client.post('/api/v1/corrections/requests', { requestId: _id, isRequest: true })
    wishId = (await test.service.client.get(`/api/v1/requests/${_id}`)).body.data.wish.wishId
    await test.service.client.send('PUT', `/api/v1/wishes/${wishId}/mark`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mark: 'planned', note: script, owner: name }),
    })
    await test.service.client.post('/api/v1/shares', { wishId, title: name })
  })

  it('are shown as the text that they are, in every field, and break nothing', async () => {
    const paths = [
      // None of them reads like a request.
      '/',
      '/wishes?include=all',
      '/wishes?q=hostile&include=all',
      `/wishes?q=${encodeURIComponent(script)}&include=all`,
      `/wishes/${wishId}`,
      '/review',
      '/collect',
      `/collect/${jobId}`,
      '/topics',
      '/settings',
      '/settings/keys',
      '/settings/channels',
      '/settings/sharing',
      '/settings/people',
      '/watches',
      '/watches/news',
      '/watches/new?topic=<script>&platforms=<b>&depth=-1&sources.github=<i>',
    ]
    const whole =
      '.home-watches, .wish-row, .empty, .member, .jobs > li, .job-platforms, .topics > li, .packs, .keys tbody tr, .channel, .shares > li, .watch-form'
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
    const page = await test.open('/wishes?q=hostile&include=all')
    await page.locator('.row-title', { hasText: '<script>window.broken=1</script>' }).first().waitFor()
  })

  it('an address with nonsense in every part is an ordinary view', async () => {
    const much = long.slice(0, 2_000)
    const nonsense = `/wishes?q=${much}&platforms=<script>,GITHUB,&tag=${much}&votes=-1e99&since=2026-02-31&until=never&sort=__proto__&job=%20&status=<b>,constructor&include=toString`
    const page = await test.open(nonsense)
    await page.getByRole('searchbox').waitFor()
    await page.locator('.wish-row, .empty, .problem').first().waitFor()
    expect(await page.getByRole('list', { name: 'Filters in use' }).count()).toBe(0)
  })
})
