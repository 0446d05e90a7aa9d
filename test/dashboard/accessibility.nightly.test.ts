import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { makeWatch, runWatch } from './changing.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, type PageTest, patienceMs, patient, usePage } from './page-test.ts'
import { wishesOptions } from './wishes.ts'

// Holds (Dashboard): axe reports no violation at any address: light, dark and 360 px wide

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on the colours and on the width, which are looked at again in the dark on a narrow window. */
const ofLook = ['color-contrast', 'target-size', 'scrollable-region-focusable']

interface Address {
  path: string
  /** A selector that exists when the page is complete. */
  whole: string
  /** The buttons to press before the check, by name, and a selector that exists after each. */
  press?: Record<string, string>
}

/** The violations that axe finds on the present page. */
async function findings(page: Page, runOnly: string[]): Promise<string[]> {
  return page.evaluate(async (values) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({ runOnly: values })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, runOnly)
}

const tooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Polls at each address once: light and wide with every rule, then dark and 360 px wide. */
async function lookAt(test: PageTest, addresses: Address[], as?: string | null): Promise<void> {
  const page = await test.open('about:blank', { ...(as === undefined ? {} : { as }), reducedMotion: 'reduce' })
  for (const { path, whole, press = {} } of addresses) {
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    // In between, because another fragment alone is not another page.
    await page.goto('about:blank')
    await page.goto(path)
    await page.locator(whole).first().waitFor()
    for (const [button, opened] of Object.entries(press)) {
      await page.getByRole('button', { name: button }).first().click()
      await page.locator(opened).first().waitFor()
    }
    // What the header covers would be too small a target.
    await page.evaluate(() => window.scrollTo(0, 0))
    await page.evaluate(axe.source)
    expect(await findings(page, standards), path).toEqual([])
    await expect.poll(() => tooWide(page), { ...patient, message: `${path}: pixels too wide` }).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => tooWide(page), { ...patient, message: `${path} at 360 px` }).toBeLessThanOrEqual(0)
    expect(await findings(page, ofLook), `${path}, dark and 360 px wide`).toEqual([])
  }
}
const timeout = patienceMs * 20

describePage('accessibility', () => {
  const test = usePage({ platforms: 'github,hackernews,stackexchange,discourse,reddit' })
  let jobId = ''
  let accountId = ''
  let wishId = ''
  let watchId = ''
  let askingId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    jobId = await test.collect('dark mode', { depth: 2 })
    wishId = (await test.service.client.get('/api/v1/requests?limit=1')).body.data.results[0].wish.wishId
    accountId = (await test.service.createAccount('pro')).accountId
    const { client, database } = test.service
    watchId = await makeWatch(test, { name: 'dark mode', topic: 'dark mode' })
    await runWatch(test, watchId)
    askingId = await makeWatch(test, { name: 'forgotten' })
    await database
      .updateTable('watches')
      .set({ state: 'asking', next_run_at: null })
      .where('id', '=', askingId)
      .execute()
    await client.post('/api/v1/channels', { type: 'webhook', name: 'Our backlog', url: 'https://8.8.8.8/hook' })
  })

  it('without a session axe finds nothing, and nothing is wider than the window', { timeout }, () =>
    lookAt(
      test,
      [
        { path: '/sign-in', whole: '.sign-in-form' },
        { path: '/sign-in#some-link', whole: '.link-sign-in' },
      ],
      null,
    ),
  )

  it('… nor on what an account searches', { timeout }, () =>
    lookAt(test, [
      { path: '/', whole: '.results article' },
      {
        path: '/?q=dark+mode',
        whole: '.results mark',
        press: { Filters: '.filter-panel fieldset', Similar: '.similar, .results li .note' },
      },
      { path: '/?q=dark&platforms=github&tag=enhancement&votes=1&since=2020-01-01', whole: '.active-filters' },
      { path: '/?q=darc', whole: '.corrected' },
      { path: '/?q=zzzzzzzz', whole: '.empty' },
      { path: '/nowhere', whole: '.empty' },
    ]),
  )

  it('… nor on what it collects, understands and has', { timeout }, () =>
    lookAt(test, [
      { path: '/collect', whole: '.jobs > li' },
      { path: '/collect?topic=x&depth=40', whole: '.cost', press: { Start: 'text=A topic has 2 to 100' } },
      { path: `/collect/${jobId}`, whole: '.job-platforms .badge.done' },
      { path: '/collect/unknown', whole: '.problem' },
      { path: '/topics', whole: '.topics > li' },
      { path: '/topics/one?topic=dark+mode', whole: '.wishes > li' },
      { path: `/wishes/${wishId}`, whole: '.wishes > li' },
      { path: '/account', whole: '.keys tbody tr', press: { 'Make a key': 'text=A key needs a name.' } },
    ]),
  )

  it('… nor on what it watches and where it is told', { timeout }, () =>
    lookAt(test, [
      { path: '/news', whole: '.watch-news .result' },
      { path: '/watches', whole: '.watches > li' },
      { path: `/watches/${watchId}`, whole: '.runs tbody tr', press: { 'Run now': '.confirm' } },
      { path: `/watches/${watchId}?change`, whole: '.next-runs > li' },
      { path: `/watches/${askingId}`, whole: '.asking' },
      { path: '/watches/unknown', whole: '.problem' },
      {
        path: '/watches/new?topic=x',
        whole: '.watch-form',
        press: { 'Make the watch': 'text=A topic has 2 to 100' },
      },
      { path: '/channels', whole: '.channel', press: { Webhook: '.channel-form', 'Add it': '.fault:not(:empty)' } },
      { path: '/topics/one?topic=dark+mode', whole: '.menu > summary' },
    ]),
  )

  it('… nor on the operator’s pages', { timeout }, () =>
    lookAt(
      test,
      [
        { path: '/operator', whole: 'tbody tr' },
        {
          path: `/operator/accounts/${accountId}`,
          whole: '.keys tbody tr',
          press: { 'Make an invitation': '.secret code' },
        },
        { path: '/operator/platforms', whole: '.platform-list > li' },
        { path: '/operator/jobs', whole: '.jobs > li' },
        { path: '/operator/ledger', whole: 'button.primary', press: { 'Verify it': 'text=The ledger is sound' } },
      ],
      test.service.adminKey,
    ),
  )
})

describePage('accessibility of classes, statuses and sources', () => {
  const test = usePage(wishesOptions)
  let jobId = ''
  beforeAll(async () => {
    if (chromiumPath !== null) jobId = await test.collect('dark mode')
  })

  it('axe finds nothing, and nothing is wider than the window', { timeout }, () =>
    lookAt(test, [
      { path: '/?q=dark+mode', whole: '.more-maybe', press: { 'Not a request': '.correction .note' } },
      {
        path: '/?q=dark+mode&include=all&status=completed,declined,in_progress',
        whole: '.badge.doubt',
        press: {
          Filters: '.filter-panel fieldset',
          'This is a request': '.correction .note',
          Similar: 'text=/Together with this one|Possibly the same|No request asks for/',
        },
      },
      { path: '/topics/one?topic=dark+mode', whole: '.figures a' },
      { path: `/collect/${jobId}`, whole: '.job-platforms .notes' },
      {
        path: '/collect?topic=dark+mode&platforms=github,stackexchange&sources.github=nothing',
        whole: '.source-fields[open]',
        press: { Start: '.source-fields .fault bdi:not(:empty)' },
      },
    ]),
  )
})
