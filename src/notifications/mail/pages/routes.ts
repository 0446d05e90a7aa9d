import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../../../database/open.ts'
import type { App } from '../../../http/app-type.ts'
import { ServiceError } from '../../../http/errors.ts'
import type { RateLimits } from '../../../http/rate-limits/rate-limits.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { type ConfirmationAnswer, confirmAddress, readConfirmation } from '../confirmation-links.ts'
import { readUnsubscription, unsubscribe } from '../unsubscribing.ts'
import { type PageView, renderView, viewHeaders, views } from './views.ts'

export interface MailPagesDependencies {
  database: Database
  clock: Clock
  rateLimits: Pick<RateLimits, 'countWithoutKey'>
  /** Opens the channels to an address that was confirmed. */
  onConfirmed: (transaction: Transaction, channelIds: readonly string[]) => Promise<void>
  /** Closes the channels to an address that was unsubscribed. */
  onUnsubscribed: (transaction: Transaction, channelIds: readonly string[], now: Date) => Promise<void>
}

/** More than any mail program posts. */
const bodyLimit = 4_096
const schema = { hide: true }

type Call = FastifyRequest<{ Params: { token: string } }>

const show = (reply: FastifyReply, view: PageView, status = 200) =>
  reply.status(status).headers(viewHeaders).send(renderView(view))

const confirmationViews: Record<ConfirmationAnswer, { view: PageView; status: number }> = {
  open: { view: views.confirm, status: 200 },
  confirmed: { view: views.confirmed, status: 200 },
  used: { view: views.used, status: 410 },
  unknown: { view: views.unknown, status: 404 },
}

/** The errors of the pages are pages, too. */
function showError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): unknown {
  if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return show(reply, views.tooMany, 429)
  const status = error instanceof ServiceError ? error.status : (error.statusCode ?? 500)
  if (status < 500) return show(reply, views.unknown, status)
  request.log.error({ err: error }, 'a page of mails failed')
  return show(reply, views.failed, 503)
}

/**
 * The pages of the links in mails. GET changes nothing, because programs follow the links of a mail; POST does, also without cookies and from
 * anywhere (RFC 8058). A token that is right is never refused because of its caller's address: mail providers unsubscribe for many people.
 */
export async function registerMailPages(app: App, dependencies: MailPagesDependencies): Promise<void> {
  await app.register(async (scope) => {
    // What is posted says nothing that the address does not: forms of RFC 8058 in both encodings, and whatever else comes.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, _body, done) => done(null, null))
    scope.setErrorHandler(showError)
    registerConfirm(scope as App, dependencies)
    registerUnsubscribe(scope as App, dependencies)
  })
}

function registerConfirm(app: App, { database, clock, rateLimits, onConfirmed }: MailPagesDependencies): void {
  const answer = async ({ ip }: Call, reply: FastifyReply, said: ConfirmationAnswer) => {
    if (said === 'unknown') await rateLimits.countWithoutKey(ip, reply)
    const { view, status } = confirmationViews[said]
    return show(reply, view, status)
  }
  app.get('/mail/confirm/:token', { schema }, async (request: Call, reply) =>
    answer(request, reply, await readConfirmation(database, request.params.token, clock.now())),
  )
  app.post('/mail/confirm/:token', { schema }, async (request: Call, reply) =>
    answer(request, reply, await confirmAddress(database, request.params.token, { now: clock.now(), onConfirmed })),
  )
}

function registerUnsubscribe(app: App, { database, clock, rateLimits, onUnsubscribed }: MailPagesDependencies): void {
  const unknown = async ({ ip }: Call, reply: FastifyReply) => {
    await rateLimits.countWithoutKey(ip, reply)
    return show(reply, views.unknown, 404)
  }
  app.get('/mail/unsubscribe/:token', { schema }, async (request: Call, reply) => {
    const state = await readUnsubscription(database, request.params.token)
    if (state === null) return unknown(request, reply)
    if (state === 'confirmed') return show(reply, views.unsubscribe)
    return show(reply, state === 'asked' ? views.refuse : views.unsubscribed)
  })
  app.post('/mail/unsubscribe/:token', { schema }, async (request: Call, reply) => {
    const input = { now: clock.now(), onUnsubscribed }
    const isKnown = await unsubscribe(database, request.params.token, input)
    return isKnown ? show(reply, views.unsubscribed) : unknown(request, reply)
  })
}
