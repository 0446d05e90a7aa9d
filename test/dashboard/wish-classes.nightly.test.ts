import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordBodies, recordCalls, usePage } from './page-test.ts'
import { wishesOptions } from './wishes.ts'

// Holds (Dashboard): a second click or a lost response has no second effect
// Holds (Dashboard): what may be a request is shown marked, after the likely requests, and is not counted with them

const cards = (page: Page) => page.locator('.results article')
const card = (page: Page, title: string) => page.locator('.results article', { hasText: `mode ${title}` })
const titles = (page: Page) => page.locator('.results h2').allInnerTexts()
const whole = (page: Page) => page.locator('.results[aria-busy="false"]')
const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
const corrections = (calls: string[]) => calls.filter((call) => call.includes('/corrections/requests'))
const button = (page: Page, title: string, name: string) => card(page, title).getByRole('button', { name, exact: true })

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
    const page = await test.open('/?q=dark+mode')
    await page.getByText('8 more may be requests.').waitFor()
    await page.getByText('5 requests', { exact: true }).waitFor()
    expect((await titles(page)).every((title) => /dark mode likely/.test(title))).toBe(true)
    expect(await page.locator('.badge.doubt').count()).toBe(0)
    const end = (await cards(page).last().boundingBox())!
    expect((await page.locator('.more-maybe').boundingBox())!.y).toBeGreaterThanOrEqual(end.y + end.height)
    await page.getByRole('button', { name: 'Show them' }).click()
    await expect.poll(() => parameterOf(page, 'include'), patient).toBe('maybe')
    await page.getByText('13 results', { exact: true }).waitFor()
    expect(await page.locator('.badge.doubt').allInnerTexts()).toEqual(Array(8).fill('may be a request'))
    expect(await page.locator('.more-maybe').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter Also possible requests' }).click()
    await page.getByText('8 more may be requests.').waitFor()
  })

  it('is named in the singular when there is one', async () => {
    const page = await test.open('/?q=%22one+maybe%22')
    await page.getByText('1 more may be a request.').waitFor()
    await page.getByRole('button', { name: 'Show it' }).waitFor()
  })

  it('is offered where nothing likely was found', async () => {
    const page = await test.open('/?q=%22only+maybe%22')
    await page.getByText('Nothing found', { exact: true }).waitFor()
    await page.getByText('8 matches may be requests.').waitFor()
    await page.getByRole('button', { name: 'Show them' }).click()
    await page.getByText('8 results', { exact: true }).waitFor()
  })

  it('is filtered by an address, whose invalid parts are ignored', async () => {
    const page = await test.open('about:blank')
    const bodies = recordBodies(page, '/api/v1/requests/search')
    await page.goto('/?q=dark+mode&include=everything&status=completed,fulfilled,<b>,declined')
    await whole(page).waitFor()
    expect((await titles(page)).sort()).toEqual(['dark mode likely 0', 'dark mode likely 1'])
    await page.goto('/?q=dark+mode&include=all')
    await page.getByText('15 results', { exact: true }).waitFor()
    expect(await page.locator('.badge.doubt', { hasText: 'probably not a request' }).count()).toBe(2)
    expect(bodies.map(({ filters }) => filters)).toEqual([{ status: ['completed', 'declined'] }, { include: 'all' }])
  })

  it('of a topic and of a job is a link with its number', async () => {
    const page = await test.open('/topics/one?topic=dark+mode')
    const figure = page.locator('.figures > div', { hasText: 'More that may be requests' })
    await figure.getByRole('link', { name: '8' }).click()
    await page.getByText('13 results', { exact: true }).waitFor()
    expect(parameterOf(page, 'topic')).toBe('dark mode')
    await page.goto(`/collect/${jobId}`)
    await page.getByRole('link', { name: '8 more may be requests' }).click()
    await page.getByText('13 results', { exact: true }).waitFor()
    expect([parameterOf(page, 'job'), parameterOf(page, 'include')]).toEqual([jobId, 'maybe'])
  })
})

describePage('the status of a request', () => {
  const test = usePage(wishesOptions)
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })

  it('is a badge with its age, unless it is open', async () => {
    const page = await test.open('/?q=dark+mode')
    await whole(page).waitFor()
    const marks = (title: string) => card(page, title).locator('.marks')
    expect(await marks('likely 0').innerText()).toMatch(/^done\s+3 days ago$/)
    expect(await marks('likely 1').innerText()).toMatch(/^declined\s+1 month ago$/)
    expect(await marks('likely 2').innerText()).toMatch(/^in progress\s+1 day ago\s+only part of the text$/)
    expect(await marks('likely 3').innerText()).toMatch(/^planned/)
    expect(await marks('likely 4').count()).toBe(0)
    const time = marks('likely 0').locator('time')
    expect(Date.parse((await time.getAttribute('datetime'))!)).toBeLessThan(Date.now() - 2 * 86_400_000)
    expect(await time.getAttribute('title')).toMatch(/20\d\d/)
  })

  it('is a filter of the panel, of lists too', async () => {
    const page = await test.open('/')
    await whole(page).waitFor()
    await page.getByRole('button', { name: 'Filters' }).click()
    const group = page.getByRole('group', { name: 'Status' })
    await group.getByRole('button', { name: 'done' }).click()
    await group.getByRole('button', { name: 'planned' }).click()
    await expect.poll(() => parameterOf(page, 'status'), patient).toBe('completed,planned')
    await expect
      .poll(async () => (await titles(page)).sort(), patient)
      .toEqual(['dark mode likely 0', 'dark mode likely 3'])
    await page.getByLabel('Show').selectOption('Also possible requests')
    await page.getByText('4 results', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Status: planned' }).click()
    await page.getByText('2 results', { exact: true }).waitFor()
    expect(await group.getByRole('button', { name: 'planned' }).getAttribute('aria-pressed')).toBe('false')
  })
})

describePage('correcting', () => {
  const test = usePage(wishesOptions)
  beforeAll(async () => {
    if (chromiumPath !== null) await test.collect('dark mode')
  })
  const open = async (path: string) => {
    const { apiKey } = await test.service.createAccount()
    const page = await test.open(path, { as: apiKey })
    await whole(page).waitFor()
    return page
  }

  it('a card stays, and its correction can be undone there; other views and counts are read again', async () => {
    const page = await open('/?q=dark+mode')
    const calls = recordCalls(page)
    await button(page, 'likely 0', 'Not a request').click()
    await card(page, 'likely 0').getByText('Marked as not a request').waitFor()
    expect(await cards(page).count()).toBe(5)
    await page.getByRole('link', { name: 'Topics', exact: true }).click()
    await page.locator('.topics > li', { hasText: 'dark mode' }).getByText('4 requests').waitFor()
    await page.goBack()
    await expect.poll(() => cards(page).count(), patient).toBe(4)
    await page.goto('/?q=dark+mode&include=all')
    await card(page, 'likely 0').getByText('Marked as not a request').waitFor()
    await button(page, 'likely 0', 'Undo').click()
    await button(page, 'likely 0', 'Not a request').waitFor()
    expect(await card(page, 'likely 0').locator('.badge.doubt').count()).toBe(0)
    expect(corrections(calls).map((call) => call.split(' ')[0])).toEqual(['POST', 'GET', 'DELETE'])
    await page.goto('/?q=dark+mode')
    await expect.poll(() => cards(page).count(), patient).toBe(5)
  })

  it('the next page skips nothing, although the list is one shorter now', async () => {
    await test.collect('two pages', { platforms: ['github'] })
    const page = await open('/?q=%22two+pages%22')
    expect(await cards(page).count()).toBe(20)
    await cards(page).first().getByRole('button', { name: 'Not a request' }).click()
    await page.getByText('Marked as not a request').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('25 requests', { exact: true }).waitFor()
    expect(await cards(page).count()).toBe(25)
  })

  it('what may be a request becomes one, without its badge', async () => {
    const page = await open('/?q=dark+mode&include=maybe')
    await button(page, 'maybe 5', 'This is a request').click()
    await card(page, 'maybe 5').getByText('Marked as a request').waitFor()
    expect(await card(page, 'maybe 5').locator('.badge.doubt').count()).toBe(0)
    await page.goto('/?q=dark+mode')
    await card(page, 'maybe 5').waitFor()
    await page.getByText('7 more may be requests.').waitFor()
    await button(page, 'maybe 5', 'Undo').click()
    await card(page, 'maybe 5').locator('.badge.doubt').waitFor()
  })

  it('a double click has one effect, and the focus stays at the button', async () => {
    const page = await open('/?q=dark+mode')
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
    const page = await open('/?q=dark+mode')
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

  it('a failure is shown at its card, and the same correction can be tried again', async () => {
    const page = await open('/?q=dark+mode')
    await page.route('**/corrections/requests', (route) => route.abort())
    await button(page, 'likely 2', 'Not a request').click()
    await card(page, 'likely 2').getByText('The service does not answer.').waitFor()
    expect(await page.locator('.problem').count()).toBe(1)
    await page.unroute('**/corrections/requests')
    await card(page, 'likely 2').getByRole('button', { name: 'Try again' }).click()
    await card(page, 'likely 2').getByText('Marked as not a request').waitFor()
    expect(await page.locator('.problem').count()).toBe(0)
  })

  it('a refusal says why', async () => {
    const page = await open('/?q=dark+mode')
    const error = { code: 'CONFLICT', message: 'The account has 10,000 corrections, which is the maximum.' }
    await page.route('**/corrections/requests', (route) => route.fulfill({ status: 409, json: { error } }))
    await button(page, 'likely 2', 'Not a request').click()
    await card(page, 'likely 2').getByText('10,000 corrections').waitFor()
  })

  it('one of the operator is not undone by an account, but replaced', async () => {
    const page = await open('/?q=dark+mode')
    const [{ _id }] = (await test.service.client.post('/api/v1/requests/search', { query: '"dark mode likely 3"' }))
      .body.data.results
    const correction = { requestId: _id, isRequest: true }
    await test.service.clientFor(test.service.adminKey).post('/api/admin/corrections/requests', correction)
    await page.reload()
    await button(page, 'likely 3', 'Undo').click()
    await card(page, 'likely 3').getByText('Your operator marked it').waitFor()
    await button(page, 'likely 3', 'Not a request').click()
    await card(page, 'likely 3').getByText('Marked as not a request').waitFor()
  })
})
