import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmationLink, startMailServer, type TestMailServer } from '../../src/notifications/mail/testing.ts'
import { chromiumPath } from './chromium.ts'
import { answerOf, describePage, patient, recordKeys, usePage } from './page-test.ts'

interface Received {
  headers: Record<string, string>
  body: string
}

/** Takes the calls of a webhook, and answers as a test says. */
const receiver = { status: 204, received: [] as Received[], url: '' }

function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      receiver.received.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead(receiver.status).end()
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

describePage('channels', () => {
  const test = usePage({ service: { environment: { ALLOW_PRIVATE_TARGETS: 'true' } } })
  let server: Server
  beforeAll(async () => {
    if (chromiumPath === null) return
    server = await startReceiver()
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  })
  afterAll(() => server?.close())

  const channelsNamed = async (name: string) =>
    (await test.service.client.get('/api/v1/channels')).body.data.results.filter(
      (channel: { name: string }) => channel.name === name,
    )
  const card = (page: Page, name: string) => page.locator('.channel', { hasText: name })
  const fill = async (page: Page, name: string) => {
    await page.getByRole('button', { name: /^Webhook/ }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Address', { exact: true }).fill(receiver.url)
  }

  it('a webhook is added once, its secret shown once, and a test arrives that the secret verifies', async () => {
    const page = await test.open('/settings/channels')
    await page.getByText('No channel yet', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Webhook/ }).click()
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('A channel needs a name.').waitFor()
    await page.getByRole('button', { name: /^Webhook/ }).click()
    await fill(page, 'Our backlog')
    const keys = recordKeys(page, '/api/v1/channels')
    await page.getByRole('button', { name: 'Add it' }).dblclick()
    const shown = page.locator('.secret > code')
    await shown.waitFor()
    const secret = await shown.innerText()
    expect(new Set(keys).size).toBe(1)
    expect(await channelsNamed('Our backlog')).toHaveLength(1)
    await page.locator('.secret').getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.content(), patient).not.toContain(secret)

    await page.getByRole('button', { name: 'Send a test to Our backlog' }).click()
    await page.getByText('The test has arrived.').waitFor()
    const [call] = receiver.received
    expect(new Webhook(secret).verify(call!.body, call!.headers)).toMatchObject({ type: 'channel.test' })

    receiver.status = 500
    await page.getByRole('button', { name: 'Send a test to Our backlog' }).click()
    await page.getByText('The test has failed.').waitFor()
    receiver.status = 204
    await page.reload()
    await card(page, 'Our backlog').locator('summary', { hasText: 'Deliveries' }).click()
    const rows = card(page, 'Our backlog').locator('tbody tr')
    await expect.poll(() => rows.count(), patient).toBe(2)
    expect(await rows.first().innerText()).toMatch(/Test[\s\S]*failed[\s\S]*status 500/)
    const before = receiver.received.length
    await rows
      .first()
      .getByRole('button', { name: /^Send again/ })
      .click()
    await expect.poll(() => rows.first().innerText(), patient).toMatch(/on its way/)
    await test.service.deliverEvents()
    expect(receiver.received.length).toBe(before + 1)
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(receiver.received.at(-2)!.headers['webhook-id'])
  })

  it('an answer that was lost adds no second channel', async () => {
    const page = await test.open('/settings/channels')
    await fill(page, 'only one')
    const keys = recordKeys(page, '/api/v1/channels')
    await page.route('**/api/v1/channels', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await answerOf(route)
      await route.abort()
    })
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('The service does not answer.').waitFor()
    await page.unroute('**/api/v1/channels')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.secret > code').waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(await channelsNamed('only one')).toHaveLength(1)
  })

  it('a kind that the operator has not set up is not offered, and a refused address is said', async () => {
    const page = await test.open('/settings/channels')
    const apprise = page.getByRole('button', { name: /^Apprise/ })
    await apprise.waitFor()
    expect(await apprise.isDisabled()).toBe(true)
    expect(await apprise.innerText()).toContain('Your operator has not set this up.')
    await fill(page, 'nowhere')
    await page.getByLabel('Address', { exact: true }).fill('ftp://example.org')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('An address begins with https://.').waitFor()
  })

  it('what it is told and when is changed; a disabled one says why and is enabled; one is removed after a question', async () => {
    const name = '<b>hostile</b> \u202Egnirts'
    const body = { type: 'webhook', name, url: receiver.url }
    const { channelId } = (await test.service.client.post('/api/v1/channels', body)).body.data
    const page = await test.open('/settings/channels', { timezoneId: 'Asia/Tokyo' })
    const one = card(page, 'hostile')
    await one.getByText('<b>hostile</b>').waitFor()
    await one.getByRole('button', { name: /^Change/ }).click()
    await one.getByLabel('When').selectOption('daily')
    await one.getByLabel('At', { exact: true }).selectOption('07:00')
    await one.getByLabel('Time zone').fill('Asia/Tokyo')
    await one.getByLabel('A collection has failed').check()
    await one.getByRole('checkbox', { name: 'Declined', exact: true }).uncheck()
    await one.getByRole('button', { name: 'Save' }).click()
    await one.getByText('daily at 07:00 (Asia/Tokyo)').waitFor()
    expect((await channelsNamed(name))[0]).toMatchObject({
      cadence: 'daily',
      hour: 7,
      events: ['scrape.failed'],
      mutedNews: ['declined'],
    })
    const disabled = { state: 'disabled' as const, disabled_reason: 'failing' }
    await test.service.database.updateTable('channels').set(disabled).where('id', '=', channelId).execute()
    await page.reload()
    await one.getByText('Nothing could be delivered for days.').waitFor()
    await one.getByRole('button', { name: 'Enable it again' }).click()
    await expect.poll(() => one.locator('h3 .badge').innerText(), patient).toBe('active')
    await one.getByRole('button', { name: /^Remove/ }).click()
    await one.getByRole('button', { name: 'Yes, remove it' }).click()
    await expect.poll(() => one.count(), patient).toBe(0)
    expect(await channelsNamed(name)).toHaveLength(0)
  })

  it('a watch names channels, and the channel says whose news it is told', async () => {
    const page = await test.open('/watches/new?topic=sharing&platforms=github')
    await page.getByLabel('Our backlog').check()
    await page.getByLabel('Also when there is nothing new').check()
    await page.getByRole('button', { name: 'Create the watch' }).click()
    await page.getByRole('heading', { name: 'sharing', exact: true }).waitFor()
    await page.locator('.facts', { hasText: 'Our backlog' }).waitFor()
    await page.goto('/settings/channels')
    await card(page, 'Our backlog').getByRole('link', { name: 'News of sharing' }).waitFor()
  })
})

describePage('a mail channel', () => {
  let mails: TestMailServer
  const environment: Record<string, string> = {
    MAIL_FROM: 'news@wishwell.example',
    PUBLIC_URL: 'http://wishwell.example',
  }
  // Before the service, which gets its address.
  beforeAll(async () => {
    mails = await startMailServer()
    environment.SMTP_URL = mails.url
  })
  const test = usePage({ service: { environment, deliversEvents: true } })
  afterAll(() => mails?.close())

  it('gets one mail that asks for confirmation, and nothing else before somebody said so', async () => {
    const page = await test.open('/settings/channels')
    await page.getByRole('button', { name: /^Mail/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Me in the morning')
    await page.getByLabel('Mail address').fill('nobody')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('That is not a mail address.').waitFor()
    await page.getByLabel('Mail address').fill('me@example.org')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('We sent a mail to confirm it.').waitFor()
    const badge = page.locator('.channel h3 .badge')
    expect(await badge.innerText()).toBe('not confirmed')
    expect(await page.content()).not.toContain('me@example.org')
    await expect.poll(() => mails.mails.length, patient).toBe(1)
    await page.getByRole('button', { name: 'Send the confirmation of Me in the morning again' }).click()
    await page.getByText(/It is sent in \d+ /).waitFor()
    const { pathname } = new URL(await confirmationLink(mails.mails[0]!))
    expect((await fetch(new URL(pathname, test.service.url), { method: 'POST' })).status).toBe(200)
    await page.reload()
    await expect.poll(() => badge.innerText(), patient).toBe('active')
    await page.getByRole('button', { name: 'Send a test to Me in the morning' }).click()
    await page.getByText('The test has arrived.').waitFor()
    expect(mails.mails).toHaveLength(2)
  })

  it('is added within the form of a watch, which keeps what was typed', async () => {
    const page = await test.open('/watches/new')
    await page.getByLabel('Topic').fill('dark mode')
    await page.getByRole('button', { name: 'Add a mail address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('One mail with a confirmation link').waitFor()
    await dialog.getByLabel('Mail address').fill('team@example.org')
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('We sent a mail to confirm it.').waitFor()
    await expect.poll(() => page.getByRole('checkbox', { name: /team@example.org/ }).isChecked(), patient).toBe(true)
    expect(await page.getByLabel('Topic').inputValue()).toBe('dark mode')
    const { results } = (await test.service.client.get('/api/v1/channels')).body.data
    const made = results.find(({ name }: { name: string }) => name === 'team@example.org')
    // Nobody asked for what the account is told.
    expect(made).toMatchObject({ type: 'email', events: [] })
  })
})
