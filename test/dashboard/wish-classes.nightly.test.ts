import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordBodies, recordCalls, usePage } from './page-test.ts'
import { wishesOptions } from './wishes.ts'

// Holds (Dashboard): a second click or a lost response has no second effect
// Holds (Dashboard): possible requests are marked, come after the likely ones, and are not counted with them

const rows = (page: Page) => page.locator('.wish-list .wish-row')
const titles = async (page: Page) =>
  (await page.locator('.wish-list .row-title > [data-row]').allInnerTexts()).map((title) => title.trim())
const whole = (page: Page) => page.locator('.wish-list[aria-busy="false"]')
const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
const corrections = (calls: string[]) => calls.filter((call) => call.includes('/corrections/requests'))
/** A text in full, on the page of its wish or among those that wait for a decision. */
const text = (page: Page, title: string) => page.locator('.member', { hasText: `mode ${title}` })
const button = (page: Page, title: string, name: string) => text(page, title).getByRole('button', { name, exact: true })

describePage('what may be a request', () => {
  const test = usePage(wishesOptions)
  let jobId = ''
  beforeAll(async () => {
    if (chromiumPath === null) return
    jobId = await test.collect('dark mode')
    await test.collect('one maybe', { platforms: ['github'] })
    await test.collect('only maybe', { platforms: ['github'] })
  })

  it('is offered after the likely requests, and is shown, marked, at an address of its own', async () => {
    const page = await test.open('/wishes?q=dark+mode')
    await page.getByText('8 more texts may be requests.').waitFor()
    await page.getByText('5 wishes. 1 of 5 is done.', { exact: true }).waitFor()
    expect((await titles(page)).every((title) => /dark mode likely/.test(title))).toBe(true)
    expect(await page.locator('.badge.doubt').count()).toBe(0)
    const end = (await rows(page).last().boundingBox())!
    expect((await page.locator('.more-maybe').boundingBox())!.y).toBeGreaterThanOrEqual(end.y + end.height)
    await page.getByRole('button', { name: 'Show them' }).click()
    await expect.poll(() => parameterOf(page, 'include'), patient).toBe('maybe')
    await page.getByText('13 wishes. 2 of 13 are done.', { exact: true }).waitFor()
    expect(await page.locator('.badge.doubt').allInnerTexts()).toEqual(Array(8).fill('may be a request'))
    expect(await page.locator('.more-maybe').count()).toBe(0)
    await page.getByRole('link', { name: 'Remove the filter Also possible requests' }).click()
    await page.getByText('8 more texts may be requests.').waitFor()
  })

  it('is named in the singular when there is one', async () => {
    const page = await test.open('/wishes?q=%22one+maybe%22')
    await page.getByText('1 more text may be a request.').waitFor()
    await page.getByRole('button', { name: 'Show it' }).waitFor()
  })

  it('is offered where nothing likely was found', async () => {
    const page = await test.open('/wishes?q=%22only+maybe%22')
    await page.getByText('Nothing found', { exact: true }).waitFor()
    await page.getByText('8 more texts may be requests.').waitFor()
    await page.getByRole('button', { name: 'Show them' }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(8)
  })

  it('is filtered by an address, whose invalid parts are ignored', async () => {
    const page = await test.open('about:blank')
    const bodies = recordBodies(page, '/api/v1/requests/search')
    await page.goto('/wishes?q=dark+mode&include=everything&status=completed,fulfilled,<b>,declined')
    await whole(page).waitFor()
    expect((await titles(page)).sort()).toEqual(['dark mode likely 0', 'dark mode likely 1'])
    await page.goto('/wishes?q=dark+mode&include=all')
    await expect.poll(() => rows(page).count(), patient).toBe(15)
    expect(await page.locator('.badge.doubt', { hasText: 'probably not a request' }).count()).toBe(2)
    const searched = bodies.filter(({ groupBy }) => groupBy === 'wish').map(({ filters }) => filters)
    expect(searched).toEqual([{ status: ['completed', 'declined'] }, { include: 'all' }])
  })

  it('of a job is a link with its number', async () => {
    const page = await test.open(`/collect/${jobId}`)
    await page.getByRole('link', { name: '8 more may be requests' }).click()
    await page.getByText('13 texts', { exact: true }).waitFor()
    expect([parameterOf(page, 'job'), parameterOf(page, 'include')]).toEqual([jobId, 'maybe'])
  })
})

describePage('the status of a request', () => {
  const test = usePage(wishesOptions)

  it('is a badge in its row, and with its age in its wish, unless it is open or the account decided; then it says whose word it is', async () => {
    await test.collect('dark mode')
    const page = await test.open('/wishes?q=dark+mode')
    await whole(page).waitFor()
    for (const [title, status, marks] of [
      ['likely 0', 'done', /^done\s+3 days ago$/],
      ['likely 1', 'declined', /^declined\s+1 month ago$/],
      ['likely 2', 'in progress', /^in progress\s+1 day ago\s+only part of the text$/],
      ['likely 3', 'planned', /^planned$/],
      ['likely 4', '', null],
    ] as const) {
      const row = page.locator('.wish-row', { hasText: title })
      expect(await row.locator('.row-state').innerText()).toBe(status)
      await row.locator('.row-title a').click()
      await text(page, title).waitFor()
      const shown = text(page, title).locator('.marks')
      if (marks === null) expect(await shown.count()).toBe(0)
      else expect(await shown.innerText()).toMatch(marks)
    }
    await page.locator('.wish-row', { hasText: 'likely 0' }).locator('.row-title a').click()
    const figures = page.locator('.wish-figures')
    await expect.poll(() => figures.locator('.badge').allInnerTexts(), patient).toEqual(['done'])
    await page.getByRole('button', { name: 'Planned', exact: true }).click()
    await page.getByText('At the sources: done: 1.').waitFor()
    expect(await figures.locator('.badge').allInnerTexts()).toEqual(['Planned'])
  })
})

describePage('correcting', () => {
  const test = usePage(wishesOptions)
  beforeAll(async () => {
    if (chromiumPath === null) return
    await test.collect('dark mode')
    await test.service.placeRequests()
  })
  const open = async (path: string) => {
    const { apiKey } = await test.service.createAccount()
    return test.open(path, { as: apiKey })
  }
  const openWish = async (title: string) => {
    const page = await open(`/wishes?q=%22dark+mode+${title.replace(' ', '+')}%22`)
    await page.locator('.row-title a').first().click()
    await button(page, title, 'Not a request').waitFor()
    return page
  }

  it('the text stays, and its correction can be undone there; the list is read again', async () => {
    const page = await openWish('likely 0')
    const calls = recordCalls(page)
    await button(page, 'likely 0', 'Not a request').click()
    await text(page, 'likely 0').getByText('Marked as not a request').waitFor()
    await page.getByRole('link', { name: 'Wishes', exact: true }).first().click()
    await expect.poll(() => titles(page), patient).not.toContain('dark mode likely 0')
    await page.goBack()
    await button(page, 'likely 0', 'Undo').click()
    await button(page, 'likely 0', 'Not a request').waitFor()
    expect(corrections(calls).map((call) => call.split(' ')[0])).toEqual(['POST', 'GET', 'DELETE'])
    await page.goto('/wishes')
    await expect.poll(() => titles(page), patient).toContain('dark mode likely 0')
  })

  it('what may be a request becomes one where it waits for a decision', async () => {
    const page = await open('/review')
    await expect.poll(() => page.locator('.doubtful > li').count(), patient).toBe(8)
    await button(page, 'maybe 5', 'This is a request').click()
    await text(page, 'maybe 5').getByText('Marked as a request').waitFor()
    await page.goto('/wishes?q=dark+mode')
    await expect.poll(() => titles(page), patient).toContain('dark mode maybe 5')
    await page.getByText('7 more texts may be requests.').waitFor()
    expect(await page.locator('.badge.doubt').count()).toBe(0)
  })

  it('what is hidden though many vote for it is offered on Home, where a key answers, and nothing is said where there is none', async () => {
    const page = await open('/')
    const hidden = page.getByRole('region', { name: 'Hidden, though many vote for it' })
    const offered = () => hidden.locator('.member-title bdi').allInnerTexts()
    await hidden.waitFor()
    expect((await offered()).slice(0, 2).sort()).toEqual(['dark mode maybe 0', 'dark mode unlikely 0'])
    expect(await offered()).toHaveLength(5)
    const calls = recordCalls(page)
    const of = (position: number) => hidden.locator('.member').nth(position)
    await page.keyboard.press('1')
    await of(0).getByText('Marked as a request').waitFor()
    await page.keyboard.press('2')
    await of(1).getByText('Marked as not a request').waitFor()
    await of(1).getByRole('button', { name: 'Undo' }).click()
    await of(1).getByRole('button', { name: 'Not a request', exact: true }).waitFor()
    expect(corrections(calls).map((call) => call.split(' ')[0])).toEqual(['POST', 'POST', 'GET', 'DELETE'])
    const first = (await offered())[0]!
    await page.goto('/wishes?q=dark+mode')
    await expect.poll(() => titles(page), patient).toContain(first)
    await page.goto('/')
    await expect.poll(async () => (await offered()).includes(first), patient).toBe(false)
  })

  it('what was judged stays with its undo until the page is left: a pair, and texts when a pair was answered', async () => {
    const page = await open('/review')
    await button(page, 'maybe 4', 'This is a request').click()
    await text(page, 'maybe 4').getByText('Marked as a request').waitFor()
    await page.getByRole('button', { name: 'Not the same', exact: true }).click()
    const answered = page.getByRole('article', { name: 'A pair that you answered' })
    await answered.getByText('Not the same: they stay apart.').waitFor()
    await text(page, 'maybe 4').getByText('Marked as a request').waitFor()
    await answered.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => answered.count(), patient).toBe(0)
    expect(await text(page, 'maybe 4').getByText('Marked as a request').count()).toBe(1)
  })

  it('the texts of the week are answered one by one, by a button or a key, until their share is known', async () => {
    const page = await open('/review')
    const calls = recordCalls(page)
    const drawn = page.getByRole('article', { name: 'A text to decide' })
    const title = () => drawn.getByRole('heading').innerText()
    await page.getByText('0 of 15 this week.').waitFor()
    expect(await page.locator('.accuracy').count()).toBe(0)
    const first = await title()
    const strict = page.getByLabel('Show surer texts only')
    for (const isStrict of [true, false]) {
      const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
      await strict.setChecked(isStrict)
      await answered
      await page.reload()
      await strict.waitFor()
      expect(await strict.isChecked()).toBe(isStrict)
    }
    await drawn.getByRole('button', { name: 'It is a request' }).click()
    await page.getByText('1 of 15 this week.').waitFor()
    const second = await title()
    await page.keyboard.press('3')
    await expect.poll(title, patient).not.toBe(second)
    await page.keyboard.press('2')
    await page.getByText('2 of 15 this week.').waitFor()
    expect(new Set([first, second, await title()]).size).toBe(3)
    expect(corrections(calls)).toHaveLength(2)
  })

  it('a double click has one effect, and the focus stays at the button', async () => {
    const page = await openWish('likely 1')
    const calls = recordCalls(page)
    await button(page, 'likely 1', 'Not a request').dblclick()
    await button(page, 'likely 1', 'Undo').waitFor()
    expect(corrections(calls)).toHaveLength(1)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Undo')
    await page.keyboard.press('Enter')
    await button(page, 'likely 1', 'Not a request').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Not a request')
    expect(corrections(calls)).toHaveLength(3)
  })

  it('a click while the answer is under way has no effect', async () => {
    const page = await openWish('likely 1')
    const calls = recordCalls(page)
    const gate = Promise.withResolvers<void>()
    await page.route('**/corrections/requests', async (route) => {
      await gate.promise
      await route.fulfill({ response: await answerOf(route) })
    })
    const notARequest = button(page, 'likely 1', 'Not a request')
    await notARequest.click()
    await expect.poll(() => notARequest.getAttribute('aria-disabled'), patient).toBe('true')
    await notARequest.dispatchEvent('click')
    gate.resolve()
    await button(page, 'likely 1', 'Undo').waitFor()
    expect(corrections(calls)).toHaveLength(1)
  })

  it('a failure is shown at its text, with the reason of a refusal, and the same correction can be tried again', async () => {
    const page = await openWish('likely 2')
    const error = { code: 'CONFLICT', message: 'The account has 10,000 corrections, which is the maximum.' }
    await page.route('**/corrections/requests', (route) => route.fulfill({ status: 409, json: { error } }))
    await button(page, 'likely 2', 'Not a request').click()
    await text(page, 'likely 2').getByText('10,000 corrections').waitFor()
    expect(await page.locator('.problem').count()).toBe(1)
    await page.unroute('**/corrections/requests')
    await text(page, 'likely 2').getByRole('button', { name: 'Try again' }).click()
    await text(page, 'likely 2').getByText('Marked as not a request').waitFor()
    expect(await page.locator('.problem').count()).toBe(0)
    // It is in no wish any more: its row says so, and takes it back.
    await page.goto('/wishes?include=all')
    const row = rows(page).filter({ hasText: 'dark mode likely 2' })
    await row.getByText('Marked as not a request').waitFor()
    await row.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: 'Not a request' }).waitFor()
  })

  it('one of the operator is not undone by an account, but replaced', async () => {
    const found = (await test.service.client.post('/api/v1/requests/search', { query: '"dark mode likely 3"' })).body
    const correction = { requestId: found.data.results[0]._id, isRequest: true }
    await test.service.clientFor(test.service.adminKey).post('/api/admin/corrections/requests', correction)
    const page = await open('/wishes?q=%22dark+mode+likely+3%22')
    await page.locator('.row-title a').first().click()
    await button(page, 'likely 3', 'Undo').click()
    await text(page, 'likely 3').getByText('Your operator marked it').waitFor()
    await button(page, 'likely 3', 'Not a request').click()
    await text(page, 'likely 3').getByText('Marked as not a request').waitFor()
  })
})
