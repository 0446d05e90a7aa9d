import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmationLink, startMailServer, type TestMailServer } from '../../src/notifications/mail/testing.ts'
import { makeWish } from '../stored-wish.ts'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, usePage } from './page-test.ts'

// Holds (Dashboard): every task on the page can be done by keyboard alone

/** What has the focus, as people would name it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null
    const label = element && 'labels' in element ? (element as HTMLInputElement).labels?.[0]?.innerText : undefined
    return (element?.getAttribute('aria-label') ?? label ?? element?.innerText ?? '').trim()
  })

/** Presses Tab, or Shift+Tab, until something of that name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    const present = await focused(page)
    if (typeof name === 'string' ? present === name : name.test(present)) return
    await page.keyboard.press(key)
  }
  throw new Error(`nothing with the name ${name} was reached; the last was ${await focused(page)}`)
}

const press = async (page: Page, name: string | RegExp) => {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Goes to a page, a view or a topic by a few letters. */
async function goTo(page: Page, name: string): Promise<void> {
  // The page listens to keys a moment after it was drawn.
  const box = page.getByRole('combobox', { name: 'Go anywhere' })
  const open = () => page.keyboard.press('Control+k').then(() => box.isVisible())
  await expect.poll(open, { ...patient, interval: 500 }).toBe(true)
  await page.keyboard.type(name)
  const chosen = page.locator('.palette [aria-selected="true"]')
  await page.getByRole('option', { name, exact: true }).waitFor()
  for (let presses = 0; (await chosen.innerText()) !== name; presses++) {
    expect(presses).toBeLessThan(20)
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}

const titles = (page: Page) => page.locator('.wish-list .row-title a')
const panel = (page: Page) => page.getByRole('region', { name: 'Wish', exact: true })
const weekMs = 7 * 86_400_000

describePage('with the keyboard alone', () => {
  let mails: TestMailServer
  let behindMs = weekMs
  const environment: Record<string, string> = {
    MAIL_FROM: 'news@wishwell.example',
    PUBLIC_URL: 'http://wishwell.example',
  }
  // Before the service, which gets its address.
  beforeAll(async () => {
    mails = await startMailServer()
    environment.SMTP_URL = mails.url
  })
  const clock = { now: () => new Date(Date.now() - behindMs) }
  const test = usePage({ service: { environment, deliversEvents: true, clock } })
  beforeAll(async () => {
    if (chromiumPath === null) return
    await test.collect('offline maps')
    behindMs = 0
    await test.collect('dark mode')
  })
  afterAll(() => mails?.close())

  it('one finds what is wanted most about a topic, and whether it is done', async () => {
    const { results } = (await test.service.client.get('/api/v1/wishes?topic=dark+mode&sortBy=votes&limit=1')).body.data
    const page = await test.open('/')
    await goTo(page, 'dark mode')
    await page.getByRole('heading', { level: 1, name: 'dark mode' }).waitFor()
    await titles(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await panel(page).getByRole('heading', { level: 2, name: results[0].title }).waitFor()
    const status = panel(page).locator('.wish-figures .badge')
    const shown = (await status.count()) === 0 ? null : await status.innerText()
    expect(shown).toBe(
      { completed: 'done', in_progress: 'in progress' }[results[0].status as string] ?? results[0].status,
    )
    await page.keyboard.press('Escape')
    await expect.poll(() => panel(page).count(), patient).toBe(0)
    expect(await focused(page)).toBe(results[0].title)
  })

  it('one sees what is new', async () => {
    const page = await test.open('/wishes')
    await press(page, 'Home')
    const first = page.getByRole('region', { name: /^New/ }).getByRole('link').first()
    const title = await first.innerText()
    await press(page, title)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patient).toBe('heading')
  })

  it('one takes a request out of a group to which it does not belong, and takes that back', async () => {
    const { results } = (await test.service.client.get('/api/v1/requests?topic=offline+maps&limit=2')).body.data
    const wishId = await makeWish(
      test.service.database,
      results.map(({ _id }: { _id: string }) => _id),
    )
    const page = await test.open(`/wishes/${wishId}`)
    await page.getByText('2 requests', { exact: true }).first().waitFor()
    await press(page, 'Asks for something else')
    await page.getByText('is now a wish of its own').waitFor()
    await page.reload()
    await page.getByText('1 request', { exact: true }).first().waitFor()
    await page.getByText('was split off by you.').waitFor()
    await press(page, 'Undo the split')
    await page.getByText('2 requests', { exact: true }).first().waitFor()
  })

  it('the lists of Home have the same keys, and all of one list leaves the others as they are', async () => {
    const page = await test.open('about:blank')
    await page.route('**/api/v1/changes?**', async (route) => {
      const response = await answerOf(route)
      const { data } = await response.json()
      const done = { ...data.new, results: data.new.results.toReversed() }
      await route.fulfill({ response, json: { data: { ...data, done } } })
    })
    await page.goto('/')
    const lines = (kind: string) => page.locator(`.change-list.${kind} li`)
    await expect.poll(() => lines('new').count(), patient).toBe(8)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const [first] = await page.locator('.change-list.new li a').allInnerTexts()
    await expect.poll(() => focused(page), patient).toBe(first)
    await page.keyboard.press('e')
    await page.getByText(/^Marked as done: /).waitFor()
    await lines('new').first().getByText('· done').waitFor()
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    await expect.poll(() => lines('new').first().getByText('· done').count(), patient).toBe(0)
    await page
      .locator('.change-list.done')
      .getByRole('button', { name: /^Show / })
      .click()
    await expect.poll(() => lines('done').count(), patient).toBeGreaterThan(8)
    expect(await lines('new').count()).toBe(8)
  })

  it('one marks a wish as planned', async () => {
    const page = await test.open('/wishes?topic=dark+mode')
    await titles(page).first().waitFor()
    const title = (await titles(page).first().innerText()).trim()
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await page.getByText(/^Marked as planned: /).waitFor()
    await goTo(page, 'Planned')
    await expect.poll(() => titles(page).allInnerTexts(), patient).toEqual([title])
  })

  it('one notes who looks after a wish, and why, and the focus stays', async () => {
    const { results } = (await test.service.client.get('/api/v1/wishes?limit=1')).body.data
    const page = await test.open(`/wishes/${results[0].wishId}`)
    await page.getByRole('heading', { level: 1, name: results[0].title }).waitFor()
    await tabTo(page, 'Owner')
    await page.keyboard.type('Ana')
    await page.keyboard.press('Enter')
    await page.getByText(/^Ana owns /).waitFor()
    expect(await focused(page)).toBe('Owner')
    await press(page, 'Add a note')
    await page.keyboard.type('first line')
    await page.keyboard.press('Enter')
    await page.keyboard.type('second line')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Note saved.').waitFor()
    await expect.poll(() => focused(page), patient).toBe('Edit')
    const { body } = await test.service.client.get(`/api/v1/wishes/${results[0].wishId}`)
    expect(body.data.mark).toMatchObject({ owner: 'Ana', note: 'first line\nsecond line' })
  })

  it('one shares a wish, and the focus returns to where it was', async () => {
    const { results } = (await test.service.client.get('/api/v1/wishes?limit=1')).body.data
    const page = await test.open(`/wishes/${results[0].wishId}`)
    await page.getByRole('heading', { level: 1, name: results[0].title }).waitFor()
    await press(page, 'Share')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Title on the page')
    await page.keyboard.type('For the board')
    await page.keyboard.press('Enter')
    const address = new URL(await page.getByRole('dialog').locator('code').innerText())
    expect((await page.request.get(address.pathname)).status()).toBe(200)
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page), patient).toMatch(/^Shared until /)
  })

  it('one gets a topic by mail every week', async () => {
    const page = await test.open('/')
    await goTo(page, 'Channels')
    await press(page, /^Mail/)
    await tabTo(page, 'Name')
    await page.keyboard.type('Me on Monday')
    await tabTo(page, 'Mail address')
    await page.keyboard.type('me@example.org')
    await page.keyboard.press('Enter')
    await page.getByText('We sent a mail to confirm it.').waitFor()
    await expect.poll(() => mails.mails.length, patient).toBe(1)
    const { pathname } = new URL(await confirmationLink(mails.mails[0]!))
    expect((await fetch(new URL(pathname, test.service.url), { method: 'POST' })).status).toBe(200)
    await goTo(page, 'Create a watch')
    await page.getByRole('checkbox', { name: /Me on Monday/ }).waitFor()
    await tabTo(page, 'Topic')
    await page.keyboard.type('dark mode')
    await tabTo(page, /^On/)
    await page.keyboard.type('Tuesday')
    await press(page, 'Create the watch')
    await page.getByRole('heading', { level: 1, name: 'dark mode' }).waitFor()
    const { body } = await test.service.client.get(`/api/v1/watches/${page.url().split('/').at(-1)}`)
    const channel = (await test.service.client.get('/api/v1/channels')).body.data.results[0]
    expect(body.data).toMatchObject({
      topic: 'dark mode',
      schedule: expect.stringMatching(/^\d+ 8 \* \* 2$/),
      channelIds: [channel.channelId],
    })
  })

  it('one reads what last week cost, and who spent it', async () => {
    const page = await test.open('/')
    await goTo(page, 'Settings')
    await page.getByRole('region', { name: 'Who used the credits' }).waitFor()
    await tabTo(page, /^Period/)
    await page.keyboard.type('Last week')
    const row = page
      .getByRole('region', { name: 'Collections of this period' })
      .getByRole('row', { name: /offline maps/ })
    await row.waitFor()
    const [held, charged, returned] = (await row.locator('td.number').allInnerTexts()).map(Number)
    expect(charged).toBeGreaterThan(0)
    expect(held).toBe(charged! + returned!)
    expect(await row.innerText()).toContain('BOOTSTRAP_API_KEY')
    await page.getByText(new RegExp(`^${charged} credits? from`)).waitFor()
  })

  it('a secret and a question take the focus, and give it back', async () => {
    const page = await test.open('/settings/keys')
    await page.getByRole('row', { name: /BOOTSTRAP_API_KEY/ }).waitFor()
    await tabTo(page, 'Name')
    await page.keyboard.type('made by keyboard')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patient).toContain('Here is the key.')
    await press(page, 'Close')
    await expect.poll(() => focused(page), patient).toBe('API keys')
    const revoke = 'Revoke the key made by keyboard'
    await press(page, revoke)
    await expect.poll(() => focused(page), patient).toBe('Yes, revoke it')
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page), patient).toBe(revoke)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patient).toBe('Yes, revoke it')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /made by keyboard.*revoked/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('heading')
  })

  it('on an operator’s page / does nothing: there is no search to go to', async () => {
    const page = await test.open('/operator', { as: test.service.adminKey })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.locator('#heading').focus()
    await page.keyboard.press('/')
    expect(new URL(page.url()).pathname).toBe('/operator')
  })
})
