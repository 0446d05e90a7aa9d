import axe from 'axe-core'
import { expect, it } from 'vitest'
import { describePage, patienceMs, patient, usePage } from './page-test.ts'

// Holds (Dashboard): a shared page obeys its policy, loads only itself, and passes axe: light, dark, 320 px wide

describePage('the page of a share', () => {
  const test = usePage({ platforms: 'github,hackernews,stackexchange,discourse,reddit' })

  it('is legible everywhere, without a script and without another call', { timeout: patienceMs * 10 }, async () => {
    await test.collect('dark mode', { depth: 2 })
    const { client } = test.service
    const wishId = (await client.get('/api/v1/wishes?limit=1')).body.data.results[0].wishId
    const { briefId } = (await client.post('/api/v1/briefs', { topic: 'dark mode' })).body.data
    const bodies = [
      { wishId, title: 'Ours' },
      { briefId },
      { topic: 'dark mode' },
      { view: { query: 'dark mode' } },
      { view: {} },
    ]
    const shares = await Promise.all(bodies.map((body) => client.post('/api/v1/shares', body)))
    const paths = shares.map(({ body }) => new URL(body.data.url).pathname)
    for (const [path, status] of [...paths.map((one) => [one, 200] as const), [`/s/${'A'.repeat(22)}`, 404] as const]) {
      const page = await test.open('about:blank', { as: null })
      const calls: string[] = []
      page.on('request', (request) => calls.push(new URL(request.url()).pathname))
      expect((await page.goto(path))?.status()).toBe(status)
      // The icon is the browser's own question.
      expect(calls.filter((call) => call !== '/favicon.ico')).toEqual([path])
      await page.evaluate(axe.source)
      for (const [colorScheme, width] of [
        ['light', 1200],
        ['dark', 320],
      ] as const) {
        await page.setViewportSize({ width, height: 740 })
        await page.emulateMedia({ colorScheme })
        const look = () =>
          page.evaluate(async () => {
            const { violations } = await (window as unknown as { axe: typeof axe }).axe.run()
            const { scrollWidth, clientWidth } = document.documentElement
            return { tooWide: scrollWidth - clientWidth, violations: violations.map(({ id }) => id) }
          })
        await expect
          .poll(look, { ...patient, message: `${path} ${colorScheme}` })
          .toEqual({ tooWide: 0, violations: [] })
      }
      await page.close()
    }
  })
})
