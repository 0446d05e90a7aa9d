import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { recordIfWritable } from '../../database/writes.ts'
import type { App } from '../../http/app-type.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import type { RateLimits } from '../../http/rate-limits/rate-limits.ts'
import { createSecretGuard } from '../../http/rate-limits/secret-guard.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RemovalContact } from '../../runtime/removal-contact.ts'
import { setOwner } from '../../runtime/work-owner.ts'
import { styleHash } from '../pages/style.ts'
import { type Texts, textsFor } from '../pages/texts.ts'
import { type ContentDependencies, readContent } from './content.ts'
import { renderNotice, renderShare } from './page.ts'
import { findShare, noteOpened } from './shares.ts'

/** Reads per minute: of one share, which may be sent to many, and from one address, which a company may share. */
export const shareLimits = { ofOne: 60, ofAddress: 120, what: 'page' }

/** For every answer: load, store and index nothing, and keep the secret address from other sites. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Language',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

const textsOf = ({ headers }: FastifyRequest): Texts => textsFor(headers['accept-language'])

function showError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): unknown {
  const texts = textsOf(request)
  const send = (notice: { title: string; sentence: string }, status: number) =>
    reply.status(status).headers(pageHeaders).send(renderNotice(notice, texts))
  if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return send(texts.tooMany, 429)
  const status = error instanceof ServiceError ? error.status : (error.statusCode ?? 500)
  if (status < 500) return send(texts.unknown, status)
  request.log.error({ err: error }, 'a shared page failed')
  return send(texts.failed, 503)
}

export interface SharedPageDependencies extends ContentDependencies {
  clock: Clock
  rateLimits: Pick<RateLimits, 'countWithoutKey'>
  removalContact: RemovalContact | undefined
}

/** Registers `/s/{token}`: a share as a page for anyone with the link. */
export async function registerSharedPages(app: App, dependencies: SharedPageDependencies): Promise<void> {
  const { database, clock, rateLimits, removalContact } = dependencies
  const guard = createSecretGuard(clock, shareLimits)
  await app.register(async (scope) => {
    scope.setErrorHandler(showError)
    scope.get<{ Params: { token: string } }>('/s/:token', { schema: { hide: true } }, async (request, reply) => {
      // Read first: a connection closed during the lookup has no address anymore.
      const { ip: address } = request
      const now = clock.now()
      const share = await findShare(database, request.params.token, now)
      if (share === undefined) {
        await rateLimits.countWithoutKey(address, reply)
        throw notFound('Share')
      }
      setOwner(share.account_id)
      await guard(share.id, address, reply)
      const content = await readContent(share, now, dependencies)
      if (content === null) throw notFound('Share')
      await recordIfWritable(noteOpened(database, share, now))
      const { title, expires_at: expiresAt } = share
      const shown = { content, title, expiresAt, removalContact }
      return reply.headers(pageHeaders).send(renderShare(shown, textsOf(request)))
    })
  })
}
