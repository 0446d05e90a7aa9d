import axe from 'axe-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { describePage, usePage } from './page-test.ts'

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** How the page is looked at: every address in each of them. */
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
  { name: '360 px wide', colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const

interface Address {
  path: string
  /** What is there when the page is whole. */
  whole: string
  as?: 'operator' | 'nobody'
  /** What is opened before it is looked at. */
  press?: string[]
}

describePage('accessibility', () => {
  const test = usePage({ platforms: 'github,hackernews,stackexchange,discourse,reddit' })
  let addresses: Address[] = []
  beforeAll(async () => {
    if (chromiumPath === null) return
    const jobId = await test.collect('dark mode', { depth: 2 })
    const other = await test.service.createAccount('pro')
    const as = 'operator' as const
    addresses = [
      { path: '/sign-in', whole: '.sign-in-form', as: 'nobody' },
      { path: '/sign-in#some-link', whole: '.link-sign-in', as: 'nobody' },
      { path: '/', whole: '.results article' },
      { path: '/?q=dark+mode', whole: '.results mark', press: ['Filters', 'Similar'] },
      { path: '/?q=dark&platforms=github&tag=enhancement&votes=1&since=2020-01-01', whole: '.active-filters' },
      { path: '/?q=darc', whole: '.did-you-mean' },
      { path: '/?q=zzzzzzzz', whole: '.empty' },
      { path: '/collect', whole: '.jobs > li' },
      { path: '/collect?topic=x&depth=40', whole: '.cost', press: ['Start'] },
      { path: `/collect/${jobId}`, whole: '.job-platforms .badge.done' },
      { path: '/collect/unknown', whole: '.problem' },
      { path: '/topics', whole: '.topics > li' },
      { path: '/topics/one?topic=dark+mode', whole: '.wishes > li' },
      { path: '/account', whole: '.keys tbody tr', press: ['Make a key'] },
      { path: '/nowhere', whole: '.empty' },
      { path: '/operator', whole: 'tbody tr', as },
      { path: `/operator/accounts/${other.accountId}`, whole: '.keys tbody tr', as, press: ['Make an invitation'] },
      { path: '/operator/platforms', whole: '.platform-list > li', as },
      { path: '/operator/jobs', whole: '.jobs > li', as },
      { path: '/operator/ledger', whole: 'button.primary', as, press: ['Verify it'] },
    ]
  })

  for (const { name, ...look } of looks) {
    it(`axe finds nothing at any address, and nothing is wider than the window: ${name}`, async () => {
      const keys = { operator: test.service.adminKey, nobody: null }
      const signedIn = await test.open('/', look)
      const asOperator = await test.open('/', { ...look, as: keys.operator })
      const asNobody = await test.open('/', { ...look, as: null })
      for (const { path, whole, as, press = [] } of addresses) {
        const page = as === 'operator' ? asOperator : as === 'nobody' ? asNobody : signedIn
        await page.goto('about:blank')
        await page.goto(path)
        await page.locator(whole).first().waitFor()
        for (const button of press) await page.getByRole('button', { name: button }).first().click()
        await page.evaluate(axe.source)
        const found = await page.evaluate(async (values) => {
          const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({ runOnly: values })
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
        }, standards)
        expect(found, `${path} (${name})`).toEqual([])
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, `pixels that ${path} is too wide (${name})`).toBeLessThanOrEqual(0)
      }
    })
  }
})
