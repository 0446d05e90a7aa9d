import { createHash } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../../../database/open.ts'
import type { App } from '../../../http/app-type.ts'
import { dark, font, light } from '../../../http/appearance.ts'
import { ServiceError } from '../../../http/errors.ts'
import type { RateLimits } from '../../../http/rate-limits/rate-limits.ts'
import type { Clock } from '../../../runtime/clock.ts'
import {
  allowAsking,
  type ConfirmationAnswer,
  confirmAddress,
  readConfirmation,
  readUnsubscription,
  unsubscribe,
} from '../confirmation-links.ts'

/** A page: fixed sentences, and a button that posts to this page's address or another of ours. */
interface PageView {
  title: string
  sentences: readonly string[]
  button?: { label: string; isQuiet?: boolean; action?: string }
}

const style = `:root{color-scheme:light dark}
body{margin:0;background:${light.ground};color:${light.ink};${font}font-size:17px;line-height:26px}
main{box-sizing:border-box;max-width:480px;margin:0 auto;padding:12vh 20px 40px}
.brand{display:flex;align-items:center;gap:9px;margin:0 4px 16px;font-weight:700;font-size:16px}
.brand::before{content:"";width:12px;height:12px;background:${light.accent};border-radius:12px 12px 12px 3px}
.card{padding:28px;background:${light.raised};border:1px solid ${light.line};border-radius:12px}
h1{margin:0;font-size:22px;line-height:29px}
p{margin:12px 0 0}
button{margin-top:24px;padding:12px 22px;border:0;border-radius:8px;background:${light.accent};color:${light.onAccent};font-family:inherit;font-size:16px;line-height:20px;font-weight:600;cursor:pointer}
button.quiet{background:transparent;color:${light.ink};border:1px solid ${light.muted}}
button:focus-visible{outline:3px solid ${light.accent};outline-offset:2px}
@media (prefers-color-scheme:dark){body{background:${dark.ground};color:${dark.ink}}.card{background:${dark.raised};border-color:${dark.line}}.brand::before,button{background:${dark.accent}}button{color:${dark.onAccent}}button.quiet{background:transparent;color:${dark.ink};border-color:${dark.muted}}button:focus-visible{outline-color:${dark.accent}}}
@media (max-width:480px){main{padding-top:28px}.card{padding:22px 18px}}`

const styleHash = createHash('sha256').update(style).digest('base64')

/** For every page: load, store and index nothing, and keep the secret address from other sites. */
const viewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
}

/** Renders a page. Contains nothing from callers or accounts. */
function renderView({ title, sentences, button }: PageView): string {
  const form =
    button === undefined
      ? ''
      : `<form method="post"${button.action === undefined ? '' : ` action="${button.action}"`}><input type="hidden" name="List-Unsubscribe" value="One-Click"><button${button.isQuiet ? ' class="quiet"' : ''}>${button.label}</button></form>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title} · Wishwell</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">Wishwell</p>
<div class="card">
<h1>${title}</h1>
${sentences.map((sentence) => `<p>${sentence}</p>`).join('\n')}
${form}
</div>
</main>
</body>
</html>
`
}

const views = {
  confirm: {
    title: 'Confirm your address',
    sentences: ['Wishwell sends news to this address once you have confirmed it. Each mail has a link that ends them.'],
    button: { label: 'Confirm' },
  },
  confirmed: {
    title: 'Your address is confirmed',
    sentences: ['From now on you get the news that you asked for. You can close this page.'],
  },
  used: {
    title: 'This link was used',
    sentences: [
      'The mails to this address were ended afterwards. To get them again, add the address to Wishwell anew.',
    ],
  },
  unknown: {
    title: 'This link does not work',
    sentences: ['It has expired, or it is not complete. Links of confirmations work for 7 days.'],
  },
  unsubscribe: {
    title: 'No more mails?',
    sentences: ['Wishwell will send nothing more to this address for the account that these mails are of.'],
    button: { label: 'Unsubscribe' },
  },
  refuse: {
    title: 'Not you?',
    sentences: [
      'Somebody asked Wishwell to send news to your address. Nothing is sent unless you confirm. If you do not want to be asked, nobody here can ask you again.',
    ],
    button: { label: 'Do not ask me again' },
  },
  unsubscribed: {
    title: 'You are unsubscribed',
    sentences: ['Nothing more is sent to this address for this account. You can close this page.'],
  },
  refused: {
    title: 'You will not be asked again',
    sentences: ['Nobody can have this Wishwell ask for this mailbox again. You can close this page, or take it back.'],
    button: { label: 'Allow questions again', isQuiet: true },
  },
  allowed: {
    title: 'You can be asked again',
    sentences: ['To get news at this address, add it to Wishwell again. You then get a mail to confirm it.'],
  },
  tooMany: {
    title: 'Too many tries',
    sentences: ['Please wait a minute, then open the link again.'],
  },
  failed: {
    title: 'That did not work',
    sentences: ['Something went wrong on our side. Please open the link again in a few minutes.'],
  },
} as const satisfies Record<string, PageView>

export interface MailPagesDependencies {
  database: Database
  clock: Clock
  rateLimits: Pick<RateLimits, 'countWithoutKey'>
  /** Opens the channels to a confirmed address. */
  onConfirmed: (transaction: Transaction, channelIds: readonly string[]) => Promise<void>
  /** Closes the channels to an unsubscribed address. */
  onUnsubscribed: (transaction: Transaction, channelIds: readonly string[], now: Date) => Promise<void>
}

/** More than any mail program posts. */
const bodyLimit = 4_096
const schema = { hide: true }

type LinkRequest = FastifyRequest<{ Params: { token: string } }>

const show = (reply: FastifyReply, view: PageView, status = 200) =>
  reply.status(status).headers(viewHeaders).send(renderView(view))

const confirmationViews: Record<ConfirmationAnswer, { view: PageView; status: number }> = {
  open: { view: views.confirm, status: 200 },
  confirmed: { view: views.confirmed, status: 200 },
  used: { view: views.used, status: 410 },
  unknown: { view: views.unknown, status: 404 },
}

function showError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): unknown {
  if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return show(reply, views.tooMany, 429)
  const status = error instanceof ServiceError ? error.status : (error.statusCode ?? 500)
  if (status < 500) return show(reply, views.unknown, status)
  request.log.error({ err: error }, 'a page of mails failed')
  return show(reply, views.failed, 503)
}

/**
 * Pages of mail links. GET changes nothing, because programs follow links; POST does, without cookies and from anywhere
 * (RFC 8058). Valid tokens have no limit by address: providers unsubscribe for many people.
 */
export async function registerMailPages(app: App, dependencies: MailPagesDependencies): Promise<void> {
  await app.register(async (scope) => {
    // Bodies are ignored, since the address says it all: RFC 8058 forms in both encodings, and anything else.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, _body, done) => done(null, null))
    scope.setErrorHandler(showError)
    registerConfirm(scope as App, dependencies)
    registerUnsubscribe(scope as App, dependencies)
  })
}

function registerConfirm(app: App, { database, clock, rateLimits, onConfirmed }: MailPagesDependencies): void {
  const answer = async ({ ip }: LinkRequest, reply: FastifyReply, said: ConfirmationAnswer) => {
    if (said === 'unknown') await rateLimits.countWithoutKey(ip, reply)
    const { view, status } = confirmationViews[said]
    return show(reply, view, status)
  }
  app.get('/mail/confirm/:token', { schema }, async (request: LinkRequest, reply) =>
    answer(request, reply, await readConfirmation(database, request.params.token, clock.now())),
  )
  app.post('/mail/confirm/:token', { schema }, async (request: LinkRequest, reply) =>
    answer(request, reply, await confirmAddress(database, request.params.token, { now: clock.now(), onConfirmed })),
  )
}

/** The token was found, so it is one of ours. */
const refusedView = ({ params: { token } }: LinkRequest): PageView => ({
  ...views.refused,
  button: { ...views.refused.button, action: `/mail/ask-again/${token}` },
})

function registerUnsubscribe(app: App, { database, clock, rateLimits, onUnsubscribed }: MailPagesDependencies): void {
  const unknown = async ({ ip }: LinkRequest, reply: FastifyReply) => {
    await rateLimits.countWithoutKey(ip, reply)
    return show(reply, views.unknown, 404)
  }
  app.get('/mail/unsubscribe/:token', { schema }, async (request: LinkRequest, reply) => {
    const known = await readUnsubscription(database, request.params.token)
    if (known === null) return unknown(request, reply)
    if (known.state === 'confirmed') return show(reply, views.unsubscribe)
    if (known.isRefused) return show(reply, refusedView(request))
    return show(reply, known.state === 'asked' || known.isAsked ? views.refuse : views.unsubscribed)
  })
  app.post('/mail/unsubscribe/:token', { schema }, async (request: LinkRequest, reply) => {
    const { token } = request.params
    const isKnown = await unsubscribe(database, token, { now: clock.now(), onUnsubscribed })
    if (!isKnown) return unknown(request, reply)
    const isRefused = (await readUnsubscription(database, token))?.isRefused
    return show(reply, isRefused ? refusedView(request) : views.unsubscribed)
  })
  app.post('/mail/ask-again/:token', { schema }, async (request: LinkRequest, reply) =>
    (await allowAsking(database, request.params.token)) ? show(reply, views.allowed) : unknown(request, reply),
  )
}
