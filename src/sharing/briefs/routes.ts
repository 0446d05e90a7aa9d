import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { changing, closed, defaulted, errorResponses, oneOf, reading, sending } from '../../http/schemas.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type About, type FindWatch, readAbout } from './about.ts'
import { type BriefRow, createBrief, deleteBrief, describeBrief, listBriefs, maxBriefs, readBrief } from './briefs.ts'
import { composeBrief, shownWishes } from './compose.ts'
import { briefFile, briefFormats, fileTypes } from './files.ts'
import { counted } from './lines.ts'
import { type BriefDocument, brief, briefSummary, type NewBrief, newBrief, verification } from './schemas.ts'
import { verifyBrief } from './verify.ts'

/** A brief's file has about 100 KB. */
const maxFileBytes = 512 * 1024

export interface BriefRouteDependencies extends RouteDependencies {
  searchIndex: SearchIndex
  findWatch: FindWatch
}

const shared = { tags: ['Briefs'], security: [{ apiKey: [] }] }
const briefPath = closed({ briefId: Type.String() })

/** Registers an account's routes for briefs. */
export function registerBriefRoutes(app: App, dependencies: BriefRouteDependencies): void {
  registerCreate(app, dependencies)
  registerList(app, dependencies)
  registerRead(app, dependencies)
  registerFile(app, dependencies)
  registerDelete(app, dependencies)
  registerVerify(app, dependencies)
}

async function aboutOf(given: NewBrief, account: Account, findWatch: FindWatch): Promise<About> {
  const { watchId } = given
  const watched = watchId === undefined ? null : await findWatch(account.accountId, watchId)
  if (watchId !== undefined && watched === null) throw notFound('Watch')
  return readAbout(given, watched, account)
}

function nothingFound({ totals: { inPart = 0, inPartIsExact }, leftOut: { maybe } }: BriefDocument): ServiceError {
  const others = [
    ...(inPart === 0 ? [] : [`${counted(inPart, 'request')}${inPartIsExact ? '' : ' or more'} with some of the words`]),
    ...(maybe === 0 ? [] : [`${counted(maybe, 'text')} that may be ${maybe === 1 ? 'a request' : 'requests'}`]),
  ]
  return new ServiceError(
    'NOT_FOUND',
    `No wish matches${others.length === 0 ? '' : `; there ${inPart + maybe === 1 ? 'is' : 'are'} ${others.join(', and ')}`}.`,
  )
}

function registerCreate(app: App, dependencies: BriefRouteDependencies): void {
  const { clock, authentication, idempotent, findWatch } = dependencies
  app.post('/api/v1/briefs', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'createBrief',
      summary: 'Make an evidence brief of what is in the cache',
      description: `Free. What people want of something: the ${shownWishes} wishes with the most votes, what of it is done, with their numbers, and quotations that are word for word in the
requests. Where no wish matches none is made (404). It is stored, and stays what it was: \`snapshot\` names its state. Only what is deleted from the cache goes from the brief, too. An account has at most ${maxBriefs}; one more is a 409.`,
      ...shared,
      headers: idempotencyHeaders,
      body: newBrief,
      response: changing(briefSummary, 'NOT_FOUND', 'SEARCH_UNAVAILABLE', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const now = clock.now()
      const about = await aboutOf(request.body, account, findWatch)
      const question = request.body.question ?? null
      // Outside the transaction, since searching may take long.
      const composed = await composeBrief({ account, about, question, now }, dependencies)
      if (composed.head.totals.wishes === 0) throw nothingFound(composed.head)
      const made = { accountId: account.accountId, request: request.body, composed, now }
      // Stored for repeats, so without texts of requests.
      return idempotent(request, reply, async (transaction) => ({
        data: describeBrief(await createBrief(transaction, made)),
      }))
    },
  })
}

function registerList(app: App, { database, authentication }: BriefRouteDependencies): void {
  app.get('/api/v1/briefs', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listBriefs',
      summary: "List the account's briefs",
      description: 'The last made first.',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(pageOf(briefSummary)),
    },
    handler: async (request) => {
      const briefs = await listBriefs(database, authentication.accountOf(request).accountId)
      const positionOf = ({ created_at: createdAt, id }: BriefRow) => `${createdAt.toISOString()} ${id}`
      const { results, ...page } = pageOfShort(briefs, request.query, { list: 'briefs', positionOf })
      return { data: { results: results.map(describeBrief), ...page } }
    },
  })
}

function registerRead(app: App, { database, authentication }: BriefRouteDependencies): void {
  app.get('/api/v1/briefs/:briefId', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readBrief',
      summary: 'Read a brief',
      ...shared,
      params: briefPath,
      response: reading(brief, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const found = await readBrief(database, authentication.accountOf(request).accountId, request.params.briefId)
      if (found === null) throw notFound('Brief')
      return { data: found }
    },
  })
}

function registerFile(app: App, { database, authentication }: BriefRouteDependencies): void {
  app.get('/api/v1/briefs/:briefId/file', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readBriefFile',
      summary: 'Read a brief as a file',
      description:
        'One file that needs no other. The same snapshot has the same bytes, as long as nothing of it is removed.',
      ...shared,
      params: briefPath,
      querystring: closed({ format: defaulted(oneOf(briefFormats, { default: 'markdown' })) }),
      response: {
        200: {
          description: 'The file',
          content: Object.fromEntries(
            briefFormats.map((format) => [
              fileTypes[format].type.split(';')[0]!,
              { schema: Type.Unsafe<unknown>(format === 'json' ? { type: 'object' } : { type: 'string' }) },
            ]),
          ),
        },
        ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
      },
    },
    handler: async (request, reply) => {
      const found = await readBrief(database, authentication.accountOf(request).accountId, request.params.briefId)
      if (found === null) throw notFound('Brief')
      const { format } = request.query
      const { type, extension } = fileTypes[format]
      return reply
        .type(type)
        .header('content-disposition', `attachment; filename="brief-${found.snapshot.slice(0, 12)}.${extension}"`)
        .send(briefFile(found, format))
    },
  })
}

function registerDelete(app: App, { database, authentication }: BriefRouteDependencies): void {
  app.delete('/api/v1/briefs/:briefId', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'deleteBrief',
      summary: 'Delete a brief',
      description: 'Files of it that somebody has can be verified no more.',
      ...shared,
      params: briefPath,
      response: changing(briefPath, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { briefId } = request.params
      const { accountId } = authentication.accountOf(request)
      if (!(await deleteBrief(database, accountId, briefId))) throw notFound('Brief')
      return { data: { briefId: briefId.toLowerCase() } }
    },
  })
}

function registerVerify(app: App, { database, clock, authentication }: BriefRouteDependencies): void {
  app.post('/api/v1/briefs/verify', {
    onRequest: authentication.requireAccount,
    bodyLimit: maxFileBytes,
    schema: {
      operationId: 'verifyBrief',
      summary: 'Compare a file of a brief with what was made, and with what holds now',
      description: 'Free, and changes nothing. The file is Markdown, HTML or JSON, as `readBriefFile` gave it.',
      ...shared,
      body: closed({ file: Type.String({ minLength: 1, description: 'All of it' }) }),
      response: sending(verification),
    },
    handler: async (request) => {
      const { file } = request.body
      const data = await verifyBrief(database, { file, account: authentication.accountOf(request), now: clock.now() })
      return { data }
    },
  })
}
