import { createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { parseMailAddress } from './address.ts'
import { createMailer, judgeFailure, messageIdOf } from './mailer.ts'
import type { SmtpServer } from './settings.ts'
import { mailConfigFor, readMail, startMailServer, type TestMailServer, type TestMailServerOptions } from './testing.ts'
import { createSmtpTransport, type SmtpTimeouts } from './transport.ts'

const now = new Date('2026-03-02T08:00:00Z')
const publicUrl = 'https://wishwell.example'
const to = parseMailAddress('reader@example.org') ?? expect.fail('no address')
const mail = {
  to,
  content: {
    title: 'A title',
    paragraphs: ['A sentence.'],
    sections: [],
    link: null,
    footer: { sentences: ['Why.'], link: { label: 'Unsubscribe', url: `${publicUrl}/mail/unsubscribe/t` } },
    publicUrl,
  },
  identity: 'event channel',
  unsubscribeUrl: `${publicUrl}/mail/unsubscribe/t`,
  now,
}

let server: TestMailServer
afterEach(() => server.close())

async function start(options: TestMailServerOptions = {}) {
  server = await startMailServer(options)
}

function send(settings: Partial<SmtpServer> = {}, timeouts?: SmtpTimeouts, signal?: AbortSignal) {
  const config = mailConfigFor(server, settings)
  const transport = createSmtpTransport({ server: config.server, ca: server.ca, ...(timeouts ? { timeouts } : {}) })
  return createMailer({ config, transport }).send({ ...mail, signal })
}

describe('the connection to the mail server', () => {
  it('sends by STARTTLS with a valid certificate, and logs in', async () => {
    await start({ isVerifiable: true, credentials: { user: 'wishwell', password: 'p@ss word' } })
    const login = { user: 'wishwell', password: 'p@ss word' }
    expect(await send({ encryption: 'starttls', verifiesCertificate: true, ...login })).toEqual({ sent: true })
    expect(server.mails).toMatchObject([
      { from: 'news@wishwell.example', to: ['reader@example.org'], isEncrypted: true, user: 'wishwell' },
    ])
  })

  it('sends by TLS from the start', async () => {
    await start({ isVerifiable: true, isSecure: true })
    expect(await send({ encryption: 'tls', verifiesCertificate: true })).toEqual({ sent: true })
    expect(server.mails[0]?.isEncrypted).toBe(true)
  })

  it('on this machine takes any certificate, and also none', async () => {
    await start()
    expect(await send()).toEqual({ sent: true })
    expect(server.mails[0]?.isEncrypted).toBe(true)
    await server.close()
    await start({ offersStartTls: false })
    expect(await send()).toEqual({ sent: true })
    expect(server.mails[0]?.isEncrypted).toBe(false)
  })

  it('sends unencrypted only where the operator says so', async () => {
    await start()
    expect(await send({ encryption: 'off' })).toEqual({ sent: true })
    expect(server.mails[0]?.isEncrypted).toBe(false)
  })

  it.each([
    ['offers no STARTTLS', { offersStartTls: false }, 'starttls'],
    ['has a certificate of nobody', {}, 'starttls'],
    ['has a certificate of nobody, from the start', { isSecure: true }, 'tls'],
  ] as const)('elsewhere sends nothing, and no password, to a server that %s', async (_what, options, encryption) => {
    await start({ ...options, credentials: { user: 'wishwell', password: 'p' } })
    const result = await send({ encryption, verifiesCertificate: true, user: 'wishwell', password: 'p' })
    expect(result).toMatchObject({ sent: false, kind: 'retry', failure: { isUncertain: false } })
    expect(server.mails).toEqual([])
  })

  it('says of a refused login nothing but the code', async () => {
    await start({ credentials: { user: 'wishwell', password: 'right' } })
    const result = await send({ user: 'wishwell', password: 'secret-value' })
    expect(result).toMatchObject({ kind: 'retry', error: 'The mail server refused the login (535 5.7.8).' })
    expect(JSON.stringify(result)).not.toMatch(/secret-value|c2VjcmV0|Wrong name/)
  })
})

describe('failures of the mail server', () => {
  // The stage, the reply, and whether it is about the recipient.
  it.each([
    ['connect', '554 5.3.2 Not today', 'retry'],
    ['connect', '421 4.3.2 Too busy', 'retry'],
    ['sender', '550 5.1.7 Bad sender', 'retry'],
    ['sender', '550 5.1.1 Strange', 'retry'],
    ['recipient', '550 5.1.1 No such user', 'bounced'],
    ['recipient', '550 No such user', 'bounced'],
    ['recipient', '553 Name not allowed', 'bounced'],
    ['recipient', '556 5.1.10 Null MX', 'bounced'],
    ['recipient', '550 5.2.1 Disabled', 'bounced'],
    ['recipient', '554 5.1.2 No such domain', 'bounced'],
    ['recipient', '550 5.7.1 Listed as spam', 'retry'],
    ['recipient', '554 5.7.1 Relay access denied', 'retry'],
    ['recipient', '554 No', 'retry'],
    ['recipient', '552 5.2.2 Mailbox full', 'retry'],
    ['recipient', '552 Mailbox full', 'retry'],
    ['recipient', '450 4.2.1 Greylisted', 'retry'],
    ['recipient', '452 4.5.3 Too many', 'retry'],
    ['recipient', '550 5.1.8 Bad sender domain', 'retry'],
    ['body', '550 5.1.1 No such user', 'bounced'],
    ['body', '550 5.7.1 Content refused', 'retry'],
    ['body', '552 5.3.4 Too large', 'retry'],
    ['body', '550 Refused', 'retry'],
    ['body', '451 4.7.1 Later', 'retry'],
  ] as const)('at %s, %s: %s', async (stage, reply, kind) => {
    await start()
    server.faults[stage] = reply
    const result = await send()
    expect(result).toMatchObject({
      sent: false,
      kind,
      failure: { code: Number(reply.slice(0, 3)), isUncertain: false },
    })
    // No word of the server.
    expect(JSON.stringify(result)).not.toContain(reply.replace(/^[\d. ]+/, ''))
    server.faults = {}
  })

  /** For a server that hangs: what comes before that must come in time. */
  const hasty: SmtpTimeouts = { connectMs: 2_000, idleMs: 2_000, totalMs: 60_000 }

  it.each([
    ['connect', 'hang', false],
    ['sender', 'hang', false],
    ['recipient', 'hang', false],
    ['body', 'hang', true],
    ['connect', 'cut', false],
    ['recipient', 'cut', false],
    ['body', 'cut', true],
  ] as const)('at %s, %s: tried again, uncertain: %s', async (stage, fault, isUncertain) => {
    await start()
    server.faults[stage] = fault
    expect(await send({}, fault === 'hang' ? hasty : undefined)).toMatchObject({
      sent: false,
      kind: 'retry',
      failure: { isUncertain, code: null },
    })
    expect(server.mails.length).toBe(isUncertain ? 1 : 0)
  })

  it('a server that says a word now and then is left after the time of an attempt', async () => {
    await start()
    const slow = createServer((socket) => {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 20)
      socket.on('close', () => clearInterval(timer)).on('error', () => {})
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', () => resolve()))
    onTestFinished(() => void slow.close())
    const { port } = slow.address() as { port: number }
    const timeouts = { connectMs: 60_000, idleMs: 60_000, totalMs: 200 }
    expect(await send({ port }, timeouts)).toMatchObject({ sent: false, kind: 'retry' })
  })

  it('an attempt ends when the service stops', async () => {
    await start()
    server.faults.recipient = 'hang'
    const stopping = new AbortController()
    const result = send({}, undefined, stopping.signal)
    await expect.poll(() => server.connections()).toBe(1)
    stopping.abort()
    expect(await result).toMatchObject({ sent: false, kind: 'retry' })
    expect(await send({}, undefined, stopping.signal)).toMatchObject({
      failure: { cause: 'aborted', isUncertain: false },
    })
  })

  it('nobody listens, or the name is unknown', async () => {
    await start()
    expect(await send({ port: 1 })).toMatchObject({ kind: 'retry', error: 'The connection to the mail server failed.' })
    expect(await send({ host: 'nowhere.invalid' })).toMatchObject({ sent: false, kind: 'retry' })
  })

  it('a mail that was accepted although its reply was lost is repeated with the same Message-ID', async () => {
    await start()
    server.faults.body = 'cut'
    expect(await send({}, hasty)).toMatchObject({ sent: false, kind: 'retry' })
    server.faults = {}
    expect(await send()).toEqual({ sent: true })
    const ids = (await Promise.all(server.mails.map(readMail))).map(({ messageId }) => messageId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids)).toEqual(new Set([messageIdOf(mail.identity, mailConfigFor(server))]))
  })
})

it('a verdict has words for every cause', () => {
  for (const cause of ['timeout', 'tls', 'name', 'connection', 'aborted'] as const) {
    const verdict = judgeFailure({ stage: 'connect', code: null, enhanced: null, cause, isUncertain: false })
    expect(verdict).toMatchObject({ kind: 'retry', error: expect.stringMatching(/^The .*\.$/) })
  }
})
