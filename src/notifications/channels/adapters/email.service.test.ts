import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { dayMs, hourMs } from '../../../runtime/durations.ts'
import { againAfterMs, askAgain, purgeMailChannels } from '../../mail/consents.ts'
import {
  confirmationLink,
  type ReceivedMail,
  readMail,
  startMailServer,
  type TestMailServer,
} from '../../mail/testing.ts'
import { removeChannel } from '../channels.ts'
import { createEmailLaboratory, type EmailLaboratory, publicUrl, serveMailPages } from './email-testing.ts'

// Holds (Watches, news and channels): an unconfirmed address gets only confirmations: one a day, ten minutes after the last if asked again; after two unanswered ones its mailbox rests four weeks, for any account
// Holds (Watches, news and channels): "do not ask me again" covers every name of the mailbox, for all accounts
// Holds (Watches, news and channels): a GET of a mailed link changes nothing; one POST without cookies unsubscribes

// Takes seconds: a mail server refuses, hangs and breaks off, and each mail is really sent.

let opened: TestDatabase
let server: TestMailServer
let lab: EmailLaboratory
beforeAll(async () => {
  opened = await openTestDatabase()
  server = await startMailServer()
})
afterAll(async () => {
  await server.close()
  await opened.close()
})
beforeEach(async () => {
  await opened.reset()
  server.mails.length = 0
  server.faults = {}
  lab = createEmailLaboratory({ database: opened.database, server })
})

const last = (): ReceivedMail => server.mails.at(-1) ?? expect.fail('no mail')

async function pages(withoutKey?: number) {
  const served = await serveMailPages(opened.database, { now: () => lab.now }, withoutKey)
  onTestFinished(served.close)
  return served
}

const headerOf = async (mail: ReceivedMail, key: string) =>
  (await readMail(mail)).headers.find((header) => header.key === key)?.value

/** The link of `List-Unsubscribe`. */
const unsubscribeLink = async (mail: ReceivedMail) =>
  /^<(.*)>$/.exec((await headerOf(mail, 'list-unsubscribe')) ?? '')?.[1] ?? expect.fail('no link')

/** A channel whose address was confirmed, and the pages. */
async function confirmed(address = 'reader@example.org', accountId?: string) {
  const account = accountId ?? (await lab.addAccount())
  const channelId = await lab.addEmail(account, address)
  await lab.confirmations()
  const served = await pages()
  expect((await served.call(await confirmationLink(last()), { method: 'POST' })).status).toBe(200)
  server.mails.length = 0
  return { accountId: account, channelId, address, ...served }
}

describe('a confirmation', () => {
  it('is all that an address gets before it confirms, and says nothing of the account', async () => {
    const accountId = await lab.addAccount()
    const channelId = await lab.addEmail(accountId, 'reader@example.org')
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    expect(await lab.deliver(accountId, channelId, 'reader@example.org')).toMatchObject({ outcome: 'failed' })
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    const { text, html, subject } = await readMail(last())
    expect(subject).toBe('Confirm your address')
    expect(`${text}${html}`).not.toMatch(/an account|a mail\b/)
  })

  it('is confirmed by POST alone: a program that follows the link confirms nothing', async () => {
    const accountId = await lab.addAccount()
    const channelId = await lab.addEmail(accountId, 'reader@example.org')
    await lab.confirmations()
    const { call, lines } = await pages()
    const link = await confirmationLink(last())
    for (const method of ['GET', 'HEAD', 'GET']) expect((await call(link, { method })).status).toBe(200)
    expect(await lab.stateOf(channelId)).toEqual({ state: 'unconfirmed', disabled_reason: null })
    const answer = await call(link, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Your address is confirmed')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('x-robots-tag')).toMatch(/noindex/)
    expect(await lab.stateOf(channelId)).toEqual({ state: 'active', disabled_reason: null })
    // The second click of a double click.
    expect(await (await call(link, { method: 'POST' })).text()).toContain('Your address is confirmed')
    expect(await lab.deliver(accountId, channelId, 'reader@example.org')).toEqual({ outcome: 'delivered', status: 250 })
    expect(lines.join('')).not.toContain(link.slice(-20))
    expect(lines.join('')).toContain('/mail/confirm/…')
  })

  it('works for 7 days', async () => {
    const channelId = await lab.addEmail(await lab.addAccount(), 'reader@example.org')
    await lab.confirmations()
    const { call } = await pages()
    lab.advance(7 * dayMs - 1_000)
    expect(await (await call(await confirmationLink(last()))).text()).toContain('<button')
    lab.advance(1_000)
    for (const method of ['GET', 'POST'])
      expect((await call(await confirmationLink(last()), { method })).status).toBe(404)
    expect(await lab.stateOf(channelId)).toMatchObject({ state: 'unconfirmed' })
  })

  it('is sent once a day at most for an account and an address, however many channels there are', async () => {
    const accountId = await lab.addAccount()
    await lab.addEmail(accountId, 'reader@example.org')
    await lab.confirmations()
    for (let i = 0; i < 5; i++) await lab.addEmail(accountId, 'READER@EXAMPLE.ORG')
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    lab.advance(dayMs - 1)
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    lab.advance(1)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    lab.advance(30 * dayMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
  })

  it('is sent again when the account asks, ten minutes after the last one, once however often it asks; then the mailbox rests', async () => {
    const channelId = await lab.addEmail(await lab.addAccount(), 'reader@example.org')
    await lab.confirmations()
    const again = () =>
      opened.database.transaction().execute((transaction) => askAgain(transaction, channelId, lab.now))
    const soonest = new Date(lab.now.getTime() + againAfterMs)
    lab.advance(1_000)
    for (let time = 0; time < 3; time++) expect(await again()).toEqual(soonest)
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    lab.advance(againAfterMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    for (let day = 0; day < 27; day++) {
      await again()
      lab.advance(dayMs)
      await lab.confirmations()
    }
    expect(server.mails).toHaveLength(2)
  })

  it('confirms every channel of the account to the address, and one that is added later is active at once', async () => {
    const accountId = await lab.addAccount()
    const channels = [await lab.addEmail(accountId, 'a@example.org'), await lab.addEmail(accountId, 'a@example.org')]
    await lab.confirmations()
    const { call } = await pages()
    await call(await confirmationLink(last()), { method: 'POST' })
    channels.push(await lab.addEmail(accountId, 'a@example.org'))
    for (const channelId of channels) expect(await lab.stateOf(channelId)).toMatchObject({ state: 'active' })
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    // Of another account it is asked anew.
    const other = await lab.addEmail(await lab.addAccount(), 'a@example.org')
    expect(await lab.stateOf(other)).toMatchObject({ state: 'unconfirmed' })
  })

  it('cannot be used to flood a mailbox: after two without an answer it rests four weeks, for all accounts and all its names', async () => {
    for (const address of ['v.i@gmail.com', 'vi+a@gmail.com', 'vi+b@googlemail.com', 'VI@gmail.com']) {
      await lab.addEmail(await lab.addAccount(), address)
    }
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    for (let days = 1; days <= 57; days++) {
      lab.advance(dayMs)
      await lab.confirmations()
      // The others come, one after each rest.
      expect(server.mails, `day ${days}`).toHaveLength(days < 28 ? 2 : days < 56 ? 3 : 4)
    }
  })

  it('is sent to a mailbox without a rest again when it has confirmed another one', async () => {
    for (const tag of ['a', 'b', 'c']) await lab.addEmail(await lab.addAccount(), `vi+${tag}@example.org`)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    const { call } = await pages()
    expect((await call(await confirmationLink(last()), { method: 'POST' })).status).toBe(200)
    lab.advance(dayMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(3)
  })

  it('is limited by account and by domain', async () => {
    const limits = { accountConfirmationsPerHour: 2, domainConfirmationsPerHour: 3 }
    lab = createEmailLaboratory({ database: opened.database, server, limits })
    const [first, second] = [await lab.addAccount(), await lab.addAccount()]
    for (let i = 0; i < 4; i++) await lab.addEmail(first, `a${i}@one.example`)
    for (let i = 0; i < 4; i++) await lab.addEmail(second, `b${i}@one.example`)
    await lab.confirmations()
    expect(server.mails).toHaveLength(3)
    lab.advance(hourMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(6)
    lab.advance(hourMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(8)
  })

  it('that was certainly not sent is tried again soon, and one that may have been only a day later', async () => {
    const channelId = await lab.addEmail(await lab.addAccount(), 'reader@example.org')
    for (const fault of ['450 4.2.1 Later', 'hang', 'cut', '550 5.7.1 Spam'] as const) {
      server.faults.recipient = fault
      await lab.confirmations()
      lab.advance(10 * 60_000)
    }
    // The operator sees why, and not whom it was for.
    expect(lab.logged).toHaveLength(4)
    expect(lab.logged[0]).toEqual({ channelId, error: 'The mail server refused the address (450 4.2.1).' })
    expect(JSON.stringify(lab.logged)).not.toContain('reader@example.org')
    server.faults = { body: 'cut' }
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    server.faults = {}
    lab.advance(dayMs - 1)
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    lab.advance(1)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    // Both links work: the person may have either mail.
    const { call } = await pages()
    expect((await call(await confirmationLink(server.mails[0]!))).status).toBe(200)
    expect((await call(await confirmationLink(server.mails[1]!))).status).toBe(200)
  })

  it('waits for no limit and no rest that a clock which was ahead began', async () => {
    lab = createEmailLaboratory({ database: opened.database, server, limits: { domainConfirmationsPerHour: 2 } })
    const real = lab.now
    lab.advance(30 * dayMs)
    for (const name of ['a', 'a+1']) await lab.addEmail(await lab.addAccount(), `${name}@example.org`)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    lab.advance(real.getTime() - lab.now.getTime())
    await lab.addEmail(await lab.addAccount(), 'a+2@example.org')
    await lab.confirmations()
    expect(server.mails).toHaveLength(3)
  })

  it('to a mailbox that does not exist disables the channel', async () => {
    const channelId = await lab.addEmail(await lab.addAccount(), 'nobody@example.org')
    server.faults.recipient = '550 5.1.1 No such user'
    await lab.confirmations()
    expect(await lab.stateOf(channelId)).toEqual({ state: 'disabled', disabled_reason: 'bounced' })
    server.faults = {}
    lab.advance(10 * dayMs)
    await lab.confirmations()
    expect(server.mails).toEqual([])
  })

  it('of a channel that was deleted meanwhile is not sent', async () => {
    const channelId = await lab.addEmail(await lab.addAccount(), 'reader@example.org')
    await opened.database.deleteFrom('channels').where('id', '=', channelId).execute()
    await lab.confirmations()
    expect(server.mails).toEqual([])
  })
})

describe('unsubscribing', () => {
  it('is offered as RFC 8058 says, and is done by POST alone, without cookies and redirects', async () => {
    const { accountId, channelId, address, call, lines } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    expect(await headerOf(last(), 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const link = await unsubscribeLink(last())
    expect(link).toMatch(/^https:\/\/wishwell\.example\/mail\/unsubscribe\/[\w-]{43}$/)
    for (const method of ['GET', 'HEAD']) expect((await call(link, { method })).status).toBe(200)
    expect(await (await call(link)).text()).toContain('<button')
    expect(await lab.stateOf(channelId)).toMatchObject({ state: 'active' })
    const answer = await call(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
    expect([answer.status, answer.redirected, answer.headers.getSetCookie()]).toEqual([200, false, []])
    expect(await lab.stateOf(channelId)).toEqual({ state: 'disabled', disabled_reason: 'unsubscribed' })
    expect(await (await call(link)).text()).toContain('You are unsubscribed')
    expect(lines.join('')).not.toContain(link.slice(-43))
  })

  it.each([
    ['multipart/form-data', () => ({ body: Object.assign(new FormData(), {}) })],
    ['nothing', () => ({})],
    ['text', () => ({ body: 'anything' })],
    ['JSON that is none', () => ({ body: '{', headers: { 'content-type': 'application/json' } })],
    [
      'a foreign origin and a cookie',
      () => ({ headers: { origin: 'https://mail.example', cookie: 'a=b', 'sec-fetch-site': 'cross-site' } }),
    ],
  ])('is done by a POST of %s', async (_what, init) => {
    const { accountId, channelId, address, call } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    const answer = await call(await unsubscribeLink(last()), { method: 'POST', ...init() } as RequestInit)
    expect(answer.status).toBe(200)
    expect(await lab.stateOf(channelId)).toMatchObject({ state: 'disabled' })
  })

  it('holds for every channel of the account to the address, until the person confirms again', async () => {
    const { accountId, channelId, address, call } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    await call(await unsubscribeLink(last()), { method: 'POST' })
    // Also for a channel that somebody enables again by hand, and for a new one.
    expect(await lab.deliver(accountId, channelId, address)).toMatchObject({
      isFinal: 'channel',
      reason: 'unsubscribed',
    })
    lab.advance(dayMs)
    const next = await lab.addEmail(accountId, 'Reader@example.org')
    expect(await lab.stateOf(next)).toMatchObject({ state: 'unconfirmed' })
    expect(await lab.deliver(accountId, next, address)).toMatchObject({ outcome: 'failed' })
    server.mails.length = 0
    await lab.confirmations()
    expect(server.mails).toHaveLength(1)
    await call(await confirmationLink(last()), { method: 'POST' })
    expect(await lab.stateOf(next)).toMatchObject({ state: 'active' })
    expect(await lab.deliver(accountId, next, address)).toMatchObject({ outcome: 'delivered' })
  })

  it('of an account says nothing of another account', async () => {
    const first = await confirmed()
    const second = await confirmed(first.address)
    await lab.deliver(first.accountId, first.channelId, first.address)
    await first.call(await unsubscribeLink(last()), { method: 'POST' })
    expect(await lab.deliver(second.accountId, second.channelId, second.address)).toMatchObject({
      outcome: 'delivered',
    })
  })

  it('before a confirmation means: no account asks the mailbox again, under any name, and no link of before works', async () => {
    const [accountId, other] = [await lab.addAccount(), await lab.addAccount()]
    await lab.addEmail(accountId, 'victim@example.org')
    await lab.addEmail(other, 'victim+2@example.org')
    await lab.confirmations()
    const { call } = await pages()
    const links = await Promise.all(server.mails.map((mail) => confirmationLink(mail)))
    const refusal = await call(await unsubscribeLink(last()), { method: 'POST' })
    expect(await refusal.text()).toContain('You will not be asked again')
    for (const link of links) expect((await call(link, { method: 'POST' })).status).toBe(404)
    for (const [account, address] of [
      [accountId, 'victim@example.org'],
      [accountId, 'victim+1@example.org'],
      [other, 'victim@example.org'],
      [await lab.addAccount(), 'VICTIM+3@example.org'],
    ] as const) {
      await lab.addEmail(account, address)
      for (let days = 0; days < 60; days += 20) {
        await lab.confirmations()
        lab.advance(20 * dayMs)
      }
    }
    expect(server.mails).toHaveLength(2)
  })

  it('from being asked is taken back by the same link: then an account may ask again', async () => {
    const accountId = await lab.addAccount()
    await lab.addEmail(accountId, 'reader@example.org')
    await lab.confirmations()
    const { call } = await pages()
    const link = await unsubscribeLink(last())
    await call(link, { method: 'POST' })
    const [action] = /\/mail\/ask-again\/[\w-]+/.exec(await (await call(link)).text()) ?? expect.fail('no button')
    const again = new URL(action, link).href
    expect((await call(again)).status).toBe(404)
    expect((await call(again, { method: 'POST' })).status).toBe(200)
    expect((await call(`${again.slice(0, -1)}!`, { method: 'POST' })).status).toBe(404)
    await lab.addEmail(accountId, 'reader@example.org')
    lab.advance(dayMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
  })

  it('once more after a later question means that nobody asks again; repeated by a mail program it does not', async () => {
    const { accountId, channelId, address, call } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    const link = await unsubscribeLink(last())
    for (let i = 0; i < 2; i++) await call(link, { method: 'POST' })
    expect(await (await call(link)).text()).toContain('You are unsubscribed')
    await lab.addEmail(await lab.addAccount(), address)
    await lab.confirmations()
    expect(server.mails).toHaveLength(2)
    await lab.addEmail(accountId, address)
    lab.advance(dayMs)
    await lab.confirmations()
    expect(server.mails).toHaveLength(3)
    expect(await (await call(await unsubscribeLink(last()), { method: 'POST' })).text()).toContain('not be asked again')
  })

  it('works by the links in mails of a channel that was deleted', async () => {
    const { accountId, channelId, address, call } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    await opened.database.deleteFrom('channels').where('id', '=', channelId).execute()
    expect((await call(await unsubscribeLink(last()), { method: 'POST' })).status).toBe(200)
    const next = await lab.addEmail(accountId, address)
    expect(await lab.stateOf(next)).toMatchObject({ state: 'unconfirmed' })
  })

  it('works for 60 days after the channel was deleted; then nothing is stored of it', async () => {
    const { accountId, channelId, address, call } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    const link = await unsubscribeLink(last())
    const { database } = opened
    const adapters = new Map([['email' as const, lab.adapter as never]])
    await database
      .transaction()
      .execute((transaction) => removeChannel(transaction, adapters, { accountId, channelId, now: lab.now }))
    const stored = () => database.selectFrom('mail_channels').where('channel_id', '=', channelId).selectAll().execute()
    lab.advance(59 * dayMs)
    await purgeMailChannels(database, lab.now)
    expect((await call(link)).status).toBe(200)
    expect(await stored()).toHaveLength(1)
    lab.advance(dayMs)
    await purgeMailChannels(database, lab.now)
    expect(await stored()).toEqual([])
    expect((await call(link)).status).toBe(404)
  })

  it('a wrong token is a 404, and after many of them a 429; a right one always works', async () => {
    const { accountId, channelId, address } = await confirmed()
    await lab.deliver(accountId, channelId, address)
    const { call } = await pages(5)
    const wrong = `${publicUrl}/mail/unsubscribe/${'a'.repeat(43)}`
    const odd = ['', '..', 'x', '%00', '%E0%A4%A', "'", 'a'.repeat(5_000)].map(
      (token) => `${publicUrl}/mail/confirm/${token}`,
    )
    for (const link of odd) expect([400, 404, 429]).toContain((await call(link, { method: 'POST' })).status)
    for (let i = 0; i < 6; i++) await call(wrong)
    const refused = await call(wrong, { method: 'POST' })
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('Too many tries')])
    expect((await call(await unsubscribeLink(last()), { method: 'POST' })).status).toBe(200)
    expect((await call(wrong, { method: 'POST', body: 'x'.repeat(10_000) })).status).toBe(413)
  })
})

describe('a delivery', () => {
  it('is postponed at a limit, and counted for nobody else', async () => {
    const limits = { accountPerHour: 2, domainPerHour: 3 }
    lab = createEmailLaboratory({ database: opened.database, server, limits })
    const first = await confirmed('a@one.example')
    const second = await confirmed('b@one.example')
    const send = ({ accountId, channelId, address }: typeof first) => lab.deliver(accountId, channelId, address)
    const outcomes = [await send(first), await send(first), await send(first), await send(second), await send(second)]
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'delivered',
      'delivered',
      'postponed',
      'delivered',
      'postponed',
    ])
    expect(outcomes[2]).toMatchObject({ retryAfterMs: hourMs })
    lab.advance(hourMs)
    expect(await send(second)).toMatchObject({ outcome: 'delivered' })
  })

  it('the last mail of a limit is sent once, however many are sent at the same time', async () => {
    lab = createEmailLaboratory({ database: opened.database, server, limits: { accountPerHour: 3 } })
    const { accountId, channelId, address } = await confirmed()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => lab.deliver(accountId, channelId, address)))
    expect(outcomes.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(3)
    expect(server.mails).toHaveLength(3)
  })

  it('to a mailbox that is gone ends the channel, and its consent', async () => {
    const { accountId, channelId, address } = await confirmed()
    server.faults.recipient = '550 5.1.1 No such user'
    const outcome = await lab.deliver(accountId, channelId, address)
    expect(outcome).toMatchObject({ outcome: 'failed', status: 550, isFinal: 'channel', reason: 'bounced' })
    expect(JSON.stringify(outcome)).not.toMatch(/No such user|reader@/)
    server.faults = {}
    expect(await lab.deliver(accountId, channelId, address)).toMatchObject({ outcome: 'failed', isFinal: 'delivery' })
  })

  it('that fails for a moment is no end', async () => {
    const { accountId, channelId, address } = await confirmed()
    server.faults.recipient = '451 4.3.0 Later'
    const outcome = await lab.deliver(accountId, channelId, address)
    expect(outcome).toEqual({
      outcome: 'failed',
      status: 451,
      error: 'The mail server refused the address (451 4.3.0).',
    })
  })

  it('that was accepted although its reply was lost is repeated, and recognised by its Message-ID', async () => {
    const { accountId, channelId, address } = await confirmed()
    const message = { id: '0198c0de-0000-7000-8000-000000000001' }
    server.faults.body = 'cut'
    expect(await lab.deliver(accountId, channelId, address, message)).toMatchObject({ outcome: 'failed' })
    server.faults = {}
    expect(await lab.deliver(accountId, channelId, address, message)).toMatchObject({ outcome: 'delivered' })
    await lab.deliver(accountId, channelId, address)
    const ids = await Promise.all(server.mails.map((mail) => headerOf(mail, 'message-id')))
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
  })

  it('goes to the address alone for which consent was given', async () => {
    const { accountId, channelId } = await confirmed()
    expect(await lab.deliver(accountId, channelId, 'other@example.org')).toMatchObject({ outcome: 'failed' })
    expect(server.mails).toEqual([])
  })
})

it.each([
  'a@b.c, d@e.f',
  'a b@example.org',
  'a@example',
  'a@[127.0.0.1]',
  'a@1.2.3.4',
  '"a b"@example.org',
  'a(comment)@example.org',
  'a@example.org\r\nBcc: b@example.org',
  'Name <a@example.org>',
  'ä@example.org',
  '.a@example.org',
  `${'a'.repeat(65)}@example.org`,
  `a@${'b'.repeat(64)}.org`,
  'a@exa_mple.org',
  'a@example.org.',
  'a@-example.org',
])('refuses %j as an address', async (address) => {
  const prepared = lab.adapter.prepare({ address }, { channelId: 'x', signal: new AbortController().signal })
  await expect(prepared).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

it('takes an address of any script in its domain, and shows little of it', async () => {
  const prepared = await lab.adapter.prepare(
    { address: 'Post+a@Bücher.example' },
    { channelId: 'x', signal: new AbortController().signal },
  )
  expect(prepared).toEqual({
    config: { address: 'Post+a@xn--bcher-kva.example' },
    hint: 'P…@xn--bcher-kva.example',
    host: 'xn--bcher-kva.example',
  })
})
