import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import { requestStatuses } from '../database/column-types.ts'
import type { App } from '../http/app-type.ts'
import { dateParameter } from '../http/dates.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { changing, closed, defaulted, formedText, oneOf, trimmedText } from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import { importPlatform } from '../platforms/registry.ts'
import { preparePage } from '../requests/store/prepared-page.ts'
import { storePage } from '../requests/store/store.ts'
import { recount } from '../requests/wish-numbers/recount.ts'
import { readAsk } from './items.ts'
import { importName, nameForm, namePattern } from './names.ts'
import { openImport, outcomeOf } from './store.ts'

const outcomes = ['created', 'updated', 'unchanged', 'suppressed'] as const

const newAsk = closed({
  text: trimmedText(1, 20_000, 'What is asked for'),
  title: Type.Optional(trimmedText(1, 500, 'In one line; without it the first sentence of the text')),
  askId: Type.Optional(
    trimmedText(
      1,
      200,
      'Its id where it comes from: the same id again updates the ask. Without it every call is another ask',
    ),
  ),
  author: Type.Optional(trimmedText(1, 200, 'Who asks; asks of one author are one voice')),
  email: Type.Optional(trimmedText(1, 200, 'Of the author')),
  votes: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  url: Type.Optional(trimmedText(1, 2_000, 'Where it was asked, http or https')),
  status: Type.Optional(oneOf(requestStatuses)),
  tags: Type.Optional(Type.Array(trimmedText(1, 100, 'A tag'), { maxItems: 20 })),
  createdAt: Type.Optional(dateParameter('When it was asked; by default now')),
  isRequest: defaulted(
    Type.Boolean({
      default: false,
      description: 'Whether it is a feature request for sure; otherwise detection judges it',
    }),
  ),
  import: defaulted(
    formedText(namePattern, nameForm, {
      default: 'feedback',
      description: 'The import that it joins; it is made where there is none',
    }),
  ),
})

const path = '/api/v1/feedback'

/** Forms on any site may send feedback: the key identifies the account; cookies do not count. */
async function allowForms(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('access-control-allow-origin', '*')
}

/** `POST /api/v1/feedback`: one ask of a form. */
export function registerForm(app: App, { database, clock, authentication, idempotent }: RouteDependencies): void {
  app.options(path, { onRequest: allowForms, schema: { hide: true } }, (_request, reply) =>
    reply
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key',
        'access-control-max-age': '86400',
      })
      .status(204)
      .send(),
  )
  app.post(path, {
    onRequest: [allowForms, authentication.requireFeedback],
    schema: {
      operationId: 'sendFeedback',
      summary: 'Send what somebody asks for',
      description:
        'For your own form. A key that is `feedbackOnly` can do only this, so it may stand in a page that everybody reads; it can say neither `votes` nor `status`, and has ids of its own. Only the account sees the ask. Free.',
      tags: ['Feedback'],
      security: [{ apiKey: [] }],
      headers: idempotencyHeaders,
      body: newAsk,
      response: changing(
        closed({
          import: Type.String(),
          outcome: oneOf(outcomes, {
            description: 'What became of it; `suppressed`: it, or its author, was purged, and is not stored again',
          }),
        }),
        ...idempotencyErrors,
      ),
    },
    handler: async (request, reply) => {
      const { accountId, scope } = authentication.accountOf(request)
      const { import: given, text, email, askId, votes, tags, isRequest, createdAt, ...rest } = request.body
      const isPublic = scope === 'feedback'
      for (const field of ['votes', 'status'] as const)
        if (isPublic && request.body[field] !== undefined) throw invalidField(field, 'is not said with such a key')
      const now = clock.now()
      const name = importName(accountId, given)
      const read = readAsk(
        {
          ...rest,
          description: text,
          // Public keys are for everybody: with others' ids they could change what was asked elsewhere.
          id: askId === undefined ? randomUUID() : isPublic ? `form:${askId}` : askId,
          votes: String(votes ?? ''),
          tags: tags?.join(',') ?? '',
          authorHandle: email ?? '',
          createdAt: createdAt ?? now.toISOString(),
        },
        { name, format: 'table', areRequests: isRequest },
      )
      if ('error' in read) throw invalidField('url', read.error.replace(/\.$/, ''))
      if ('leftOut' in read) throw invalidField('text', 'has no text')
      const prepared = await preparePage(importPlatform, { requests: [], incomplete: [read.request] }, null)
      await openImport(database, { accountId, source: name.source!, asks: 1, now })
      return idempotent(request, reply, async (transaction) => {
        const page = { platform: importPlatform, topic: given, jobId: null, now, ...prepared }
        const stored = await storePage(transaction, page)
        await recount(transaction, stored.wishes)
        const counts = outcomeOf(1, stored)
        return { data: { import: given, outcome: outcomes.find((outcome) => counts[outcome] > 0)! } }
      })
    },
  })
}
