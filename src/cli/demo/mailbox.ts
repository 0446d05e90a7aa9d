import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { formatMoment } from '../../runtime/dates.ts'

// The demo's mail sink: a local mail server, and a page that shows what it received.

interface Mail {
  to: string
  subject: string
  at: Date
  html: string
  text: string
}

export interface Mailbox {
  smtpUrl: string
  url: string
  /** The text of the first matching mail. @throws if none comes within a minute. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

/** More than a demo sends in a day. */
const maxMails = 200
const maxBytes = 2_000_000
const waitMs = 60_000

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A mail in its own frame, without scripts; links open outside. */
const frameOf = ({ to, subject, at, html, text }: Mail) => `
<details><summary><b>${escaped(subject)}</b> to ${escaped(to)}, ${formatMoment(at)}</summary>
<iframe title="${escaped(subject)}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escaped(`<base target="_blank">${html || `<pre>${escaped(text)}</pre>`}`)}"></iframe></details>`

const pageOf = (mails: readonly Mail[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mailbox of the demo</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
summary{padding:.5rem 0;cursor:pointer}iframe{width:100%;height:32rem;border:1px solid;background:#fff}
</style></head><body><h1>Mailbox of the demo</h1><p>Every mail that this service sends arrives here, whoever it is for. The latest is the first.</p>
${mails.length === 0 ? '<p>No mail has arrived yet.</p>' : mails.map(frameOf).join('')}</body></html>`

const portOf = (address: AddressInfo | string | null) => (address as AddressInfo).port

/** Starts the mail server and its page on free loopback ports. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mail[] = []
  let onMail = () => {}
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    onData: (stream, _session, done) => {
      const parsed = buffer(stream).then((raw) => PostalMime.parse(raw))
      parsed.then(({ to, subject, date, html, text }) => {
        const mail = { to: to?.[0]?.address ?? '', subject: subject ?? '', html: html ?? '', text: text ?? '' }
        const sentAt = Date.parse(date ?? '')
        mails.unshift({ ...mail, at: Number.isNaN(sentAt) ? new Date() : new Date(sentAt) })
        mails.splice(maxMails)
        onMail()
        done()
      }, done)
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const web = createServer(({ headers }, response) => {
    // Mails contain secret links: pages of other names on this port must not read them.
    if (!/^(?:mailbox\.localhost|127\.0\.0\.1)(?::|$)/.test(headers.host ?? '')) return response.writeHead(404).end()
    const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    response.end(pageOf(mails))
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  return {
    smtpUrl: `smtp://127.0.0.1:${portOf(smtp.server.address())}`,
    url: `http://mailbox.localhost:${portOf(web.address())}`,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no mail with ${pattern} arrived in a minute`)), waitMs)
        onMail = () => {
          const found = mails.map(({ text }) => pattern.exec(text)).find((match) => match !== null)
          if (!found) return
          clearTimeout(timer)
          resolve(found)
        }
        onMail()
      }),
    stop: async () => {
      web.closeAllConnections()
      await Promise.all([
        new Promise((resolve) => web.close(resolve)),
        new Promise<void>((resolve) => smtp.close(resolve)),
      ])
    },
  }
}
