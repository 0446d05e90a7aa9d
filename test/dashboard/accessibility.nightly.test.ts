import axe from 'axe-core'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { makeWish } from '../stored-wish.ts'
import { makeWatch, runWatch } from './changing.ts'
import { chromiumPath } from './chromium.ts'
import { describePage, type PageTest, patienceMs, patient, usePage } from './page-test.ts'
import { wishesOptions } from './wishes.ts'

// Holds (Dashboard): every address and dialog passes axe, light and dark, and fits 1024, 390 and 320 px

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on the colours and on the width, which are looked at again in the dark and on narrow windows. */
const ofLook = ['color-contrast', 'target-size', 'scrollable-region-focusable']
const widths = [1024, 390, 320]

interface Address {
  path: string
  /** A selector that exists when the page is complete. */
  whole: string
  /** The buttons to press before the check, by name, and a selector that exists after each. */
  press?: Record<string, string>
  /** The keys to press then, and a selector that exists after each. */
  type?: Record<string, string>
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

/** Puts the menu of a narrow window, which lies over what one scrolls by, in its place: what it covers would be too small a target. */
const uncover = () => document.querySelector<HTMLElement>('.header nav')?.style.setProperty('position', 'static')

/** Opens an address, and what its buttons and keys open. */
async function openWhole(page: Page, { path, whole, press = {}, type = {} }: Address): Promise<void> {
  // In between, because another fragment alone is not another page.
  await page.goto('about:blank')
  await page.goto(path)
  await page.locator(whole).first().waitFor()
  for (const [button, opened] of Object.entries(press)) {
    await page
      .getByRole('button', { name: new RegExp(`^${button}`) })
      .first()
      .click()
    await page.locator(opened).first().waitFor()
  }
  for (const [key, opened] of Object.entries(type)) {
    await page.keyboard.press(key)
    await page.locator(opened).first().waitFor()
  }
  // What the header covers would be too small a target.
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.evaluate(axe.source)
}

/** Polls at each address once: light and wide with every rule, then narrower, and in the dark. */
async function lookAt(test: PageTest, addresses: Address[], as?: string | null): Promise<void> {
  const page = await test.open('about:blank', { ...(as === undefined ? {} : { as }), reducedMotion: 'reduce' })
  for (const address of addresses) {
    const { path } = address
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await openWhole(page, address)
    expect.soft(await findings(page, standards), path).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await findings(page, ofLook), `${path}, dark`).toEqual([])
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 })
      await expect
        .poll(() => tooWide(page), { ...patient, message: `${path}: pixels wider than ${width}` })
        .toBeLessThanOrEqual(0)
    }
    await page.evaluate(uncover)
    expect.soft(await findings(page, ofLook), `${path}, dark and narrow`).toEqual([])
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
  let briefId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    jobId = await test.collect('dark mode', { depth: 2 })
    const { results } = (await test.service.client.get('/api/v1/requests?limit=3')).body.data
    const ids = results.map(({ _id }: { _id: string }) => _id)
    wishId = await makeWish(test.service.database, ids)
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
    await sql`insert into vote_samples select id, current_date - 22, votes from requests on conflict do nothing`.execute(
      database,
    )
    briefId = (await client.post('/api/v1/briefs', { topic: 'dark mode' })).body.data.briefId
    await client.post('/api/v1/shares', { wishId, title: 'For the board' })
    await client.post('/api/v1/links', { personName: 'Ana' })
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

  it('… nor on home, on lists and in their dialogs', { timeout }, () =>
    lookAt(test, [
      { path: '/', whole: '.change-list li' },
      { path: '/', whole: '.change-list li', press: { Collect: '[role=dialog] .cost' } },
      { path: '/', whole: '.change-list li', type: { 'Control+k': '.palette [role=option]' } },
      { path: '/', whole: '.change-list li', type: { '?': '[role=dialog] kbd' } },
      { path: '/wishes', whole: '.row-trend svg' },
      { path: '/wishes?q=dark+mode', whole: '.wish-row mark', press: { Share: '[role=dialog] form' } },
      { path: '/wishes?topic=dark+mode', whole: '.topic-head' },
      { path: '/wishes?platforms=github&tag=enhancement&votes=1&since=2020-01-01', whole: '.active-filters' },
      { path: '/wishes?q=darkk', whole: '.corrected' },
      { path: '/wishes?q=zzzzzzzz', whole: '.empty' },
      { path: '/wishes?mark=planned', whole: '.empty' },
      { path: '/nowhere', whole: '.empty' },
    ]),
  )

  it('… nor on wishes and what waits for a decision', { timeout }, () =>
    lookAt(test, [
      { path: `/wishes?topic=dark+mode&wish=${wishId}`, whole: '.wish-panel .member' },
      { path: `/wishes/${wishId}`, whole: '.member', press: { 'Add a note': '.wish-note textarea' } },
      { path: `/wishes/${crypto.randomUUID()}`, whole: '.problem' },
      { path: '/review', whole: '.pair' },
      { path: '/topics', whole: '.topics > li' },
      { path: '/wishes?topic=dark+mode', whole: '.topic-head', press: { 'Make a brief': '[role=dialog] form' } },
      { path: '/briefs', whole: '.shares > li', press: { 'Delete the brief': '.confirm' } },
      { path: `/briefs/${briefId}`, whole: '.brief blockquote' },
    ]),
  )

  it('… nor on what it collects and has', { timeout }, () =>
    lookAt(test, [
      { path: '/collect', whole: '.jobs > li' },
      { path: '/collect?topic=x&depth=40', whole: '.cost', press: { Start: 'text=A topic has 2 to 100' } },
      { path: `/collect/${jobId}`, whole: '.job-platforms .badge.done' },
      { path: '/collect/unknown', whole: '.problem' },
      { path: '/settings', whole: '.packs' },
      { path: '/settings/keys', whole: '.keys tbody tr', press: { 'Create a key': 'text=A key needs a name.' } },
      { path: '/settings/sharing', whole: '.shares > li' },
      { path: '/settings/people', whole: '.shares > li' },
      {
        path: '/settings/channels',
        whole: '.channel',
        press: { Webhook: '.channel-form', 'Add it': '.fault:not(:empty)' },
      },
      { path: '/settings/nothing', whole: '.empty' },
    ]),
  )

  it('… nor on what it watches', { timeout }, () =>
    lookAt(test, [
      { path: '/watches/news', whole: '.watch-news .wishes > li' },
      { path: '/watches', whole: '.watches > li' },
      { path: `/watches/${watchId}`, whole: '.runs tbody tr', press: { 'Run now': '.confirm' } },
      { path: `/watches/${watchId}?change`, whole: '.next-runs > li' },
      { path: `/watches/${askingId}`, whole: '.asking' },
      { path: '/watches/unknown', whole: '.problem' },
      {
        path: '/watches/new?topic=x',
        whole: '.watch-form',
        press: { 'Create the watch': 'text=A topic has 2 to 100' },
      },
    ]),
  )

  it('… nor on the operator’s pages', { timeout }, () =>
    lookAt(
      test,
      [
        { path: '/operator', whole: '.health' },
        { path: '/operator/accounts', whole: 'tbody tr' },
        { path: '/operator/purge', whole: 'form .primary' },
        {
          path: `/operator/accounts/${accountId}`,
          whole: '.keys tbody tr',
          press: { 'Create an invitation': '.secret code' },
        },
        { path: '/operator/platforms', whole: '.platform-list > li' },
        { path: '/operator/jobs', whole: '.jobs > li' },
        { path: '/operator/ledger', whole: 'button.primary', press: { Verify: 'text=The ledger is sound' } },
      ],
      test.service.adminKey,
    ),
  )
})

describePage('accessibility of an empty service', () => {
  const test = usePage()

  it('axe finds nothing, and nothing is wider than the window', { timeout }, () =>
    lookAt(test, [
      { path: '/', whole: '.first-steps' },
      { path: '/wishes', whole: '.empty' },
      { path: '/review', whole: '.empty' },
      { path: '/watches', whole: '.empty' },
      { path: '/watches/news', whole: '.empty' },
      { path: '/topics', whole: '.empty' },
      { path: '/briefs', whole: '.empty' },
    ]),
  )

  it.each(['en-GB', 'de-DE'])('the bar of a narrow window has all pages in one line (%s)', async (locale) => {
    for (const width of [390, 320]) {
      const page = await test.open('/', { locale, viewport: { width, height: 740 } })
      const pages = page.locator('.header > nav a')
      await pages.first().waitFor()
      const places = await pages.evaluateAll((links) =>
        links.map((link) => {
          const { top, right } = link.getBoundingClientRect()
          return { href: link.getAttribute('href'), top, isInside: right > 0 && right <= window.innerWidth }
        }),
      )
      const { top } = places[0]!
      expect(places).toEqual(
        ['/', '/wishes', '/watches', '/briefs', '/settings'].map((href) => ({ href, top, isInside: true })),
      )
    }
  })
})

describePage('accessibility of classes, statuses and sources', () => {
  const test = usePage(wishesOptions)
  let jobId = ''
  beforeAll(async () => {
    if (chromiumPath !== null) jobId = await test.collect('dark mode')
  })

  it('axe finds nothing, and nothing is wider than the window', { timeout }, () =>
    lookAt(test, [
      { path: '/wishes?q=dark+mode', whole: '.more-maybe' },
      { path: '/wishes?q=dark+mode&include=all&status=completed,declined,in_progress', whole: '.badge.doubt' },
      { path: '/review', whole: '.doubtful > li', press: { 'This is a request': '.correction .note' } },
      { path: `/collect/${jobId}`, whole: '.job-platforms .notes' },
      {
        path: '/collect?topic=dark+mode&platforms=github,stackexchange&sources.github=nothing',
        whole: '.source-fields[open]',
        press: { Start: '.source-fields .fault bdi:not(:empty)' },
      },
    ]),
  )
})
