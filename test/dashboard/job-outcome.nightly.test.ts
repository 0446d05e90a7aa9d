import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePage, patient, recordCalls, usePage } from './page-test.ts'
import { secondPage, wishesOptions } from './wishes.ts'

// Holds (Dashboard): a job's figures, including what was left out, are the same by events and by polls

const figure = (page: Page, name: string) =>
  page.locator('.figures > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
const rowOf = (page: Page, platform: string) => page.locator('.job-platforms tbody tr', { hasText: platform }).first()
const notes = (page: Page) => page.locator('.job-platforms .notes')

describePage('what came of a job', () => {
  const test = usePage(wishesOptions)

  for (const by of ['events', 'polls']) {
    it(`is shown by ${by}, while it runs and at its end, with what was left out`, async () => {
      const gate = Promise.withResolvers<void>()
      secondPage.allowed = gate.promise
      const page = await test.open(`/collect?topic=dark+mode+${by}&depth=2&platforms=github,hackernews`)
      if (by === 'polls') await page.route('**/events', (route) => route.abort())
      await page.getByRole('button', { name: 'Start' }).click()
      await expect.poll(() => rowOf(page, 'GitHub').innerText(), patient).toMatch(/running\s+1 of 2\s+15\s+5/)
      await page.getByText(by === 'polls' ? 'Live events do not come through' : 'Live.').waitFor()
      await expect
        .poll(() => notes(page).innerText(), patient)
        .toBe('8 more may be requests. Left out: 9 not about the topic, 3 without text.')
      expect([await figure(page, 'Pages').innerText(), await figure(page, 'New requests').innerText()]).toEqual([
        '1',
        '5',
      ])
      gate.resolve()
      await expect.poll(() => figure(page, 'Status').innerText(), patient).toBe('completed')
      await page.getByText(/^Finished in (\d+ s|less than a second)\.$/).waitFor()
      expect(await notes(page).innerText()).toBe(
        '8 more may be requests. Left out: 10 not about the topic, 3 without text, 1 reply.',
      )
      expect(await rowOf(page, 'GitHub').innerText()).toMatch(/done\s+2 of 2\s+15\s+5/)
      expect(await figure(page, 'Pages').innerText()).toBe('2')
      await expect.poll(() => figure(page, 'Cost').innerText(), patient).toMatch(/^2 credits by /)
    })
  }

  it('says one possible request in the singular, and nothing of platforms that left nothing out', async () => {
    const jobId = await test.collect('one maybe', { platforms: ['github', 'hackernews'] })
    const page = await test.open(`/collect/${jobId}`)
    await expect
      .poll(() => notes(page).allInnerTexts(), patient)
      .toEqual(['1 more may be a request. Left out: 9 not about the topic, 3 without text.'])
    await page.getByRole('link', { name: '1 more may be a request' }).waitFor()
  })
})

describePage('a job with sources', () => {
  const test = usePage(wishesOptions)
  const field = (page: Page, platform: string) => page.getByLabel(`Only from these sources of ${platform}`)
  const sources = (page: Page) => page.locator('.source-fields')

  it('is started from the form, names them, says which the depth did not reach, and can be run again', async () => {
    const page = await test.open('/collect?topic=dark+mode&platforms=github,hackernews')
    await page.getByText('Choose the sources').click()
    await expect.poll(() => sources(page).getByRole('textbox').count(), patient).toBe(1)
    await page.getByRole('checkbox', { name: 'Stack Exchange' }).check()
    await field(page, 'Stack Exchange').waitFor()
    await page.getByRole('checkbox', { name: 'Stack Exchange' }).uncheck()
    await expect.poll(() => sources(page).getByRole('textbox').count(), patient).toBe(1)
    await page.getByText('owner/repository, such as').waitFor()
    await field(page, 'GitHub').fill('acme/app, Acme/Other,acme/app')
    await page.getByText('Up to 2 credits').waitFor()
    const sent = page.waitForRequest('**/api/v1/scrape')
    await page.getByRole('button', { name: 'Start' }).click()
    expect((await sent).postDataJSON().sources).toEqual({ github: ['acme/app', 'Acme/Other'] })
    await expect
      .poll(() => notes(page).allInnerTexts(), patient)
      .toEqual(['Only from acme/app and acme/other. The depth did not reach acme/other.'])
    await page.getByRole('link', { name: 'Run again' }).click()
    await expect.poll(() => field(page, 'GitHub').inputValue(), patient).toBe('acme/app, acme/other')
    expect(await field(page, 'GitHub').isVisible()).toBe(true)
    await page.locator('.jobs > li', { hasText: 'only from 2 sources' }).waitFor()
  })

  it('says by polls too which sources were not reached', async () => {
    const page = await test.open('/collect?topic=by+polls&platforms=github&sources.github=acme/app,acme/other')
    await page.route('**/events', (route) => route.abort())
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('The depth did not reach acme/other.').waitFor()
  })

  it('shows a refused source at its field, until the sources change', async () => {
    const page = await test.open('/collect?topic=dark+mode&platforms=github&sources.github=acme/app,nothing')
    const calls = recordCalls(page)
    // A closed part of the form is opened.
    await page.getByText('Choose the sources').click()
    await page.getByRole('button', { name: 'Start' }).click()
    await sources(page).getByText('“nothing” must be owner/repository').waitFor()
    expect(await field(page, 'GitHub').getAttribute('aria-invalid')).toBe('true')
    expect(await field(page, 'GitHub').evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await page.locator('.problem').count()).toBe(0)
    await field(page, 'GitHub').fill('acme/none')
    await expect.poll(() => sources(page).locator('.fault').innerText(), patient).toBe('')
    expect(await page.locator('.problem').count()).toBe(0)
    await page.getByRole('button', { name: 'Start' }).click()
    await sources(page).getByText('acme/none does not exist or is not public').waitFor()
    await field(page, 'GitHub').fill('')
    expect(await field(page, 'GitHub').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Start' }).click()
    await expect.poll(() => figure(page, 'Status').innerText(), patient).toBe('completed')
    expect(await page.getByText('Only from').count()).toBe(0)
    expect(calls.filter((call) => call === 'POST /api/v1/scrape')).toHaveLength(3)
  })

  it('with a long source is not cut off on a narrow window', async () => {
    const source = `acme/${'a-repository-with-a-long-name-'.repeat(3)}`.slice(0, 90)
    const path = `/collect?topic=narrow&platforms=github&sources.github=${source}`
    const page = await test.open(path, { viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText(`Only from ${source}.`).waitFor()
    const frame = page.locator('.table-frame')
    expect(await frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  })
})

describePage('where only listed sources may be named', () => {
  const test = usePage({
    ...wishesOptions,
    service: { ...wishesOptions.service, environment: { SOURCES: 'listed' } },
  })

  it('says so at the field', async () => {
    const page = await test.open('/collect?topic=dark+mode&platforms=github&sources.github=acme/app')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.locator('.source-fields').getByText('acme/app is not listed').waitFor()
  })
})
