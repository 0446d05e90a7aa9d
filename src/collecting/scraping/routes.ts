import { type Static, Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { Pricing } from '../../accounts/plans.ts'
import { readCreditUsage } from '../../credits/usage.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { isId } from '../../http/ids.ts'
import { bodyErrors, closed, errorResponses, oneOf, reading, usage } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { anyPlatform } from '../../platforms/schemas.ts'
import { byPlatform } from '../../platforms/sources/named-sources.ts'
import { jobSchema } from './job-schema.ts'
import { type JobTermsDependencies, jobTermsSchema, readJobTerms, sourcesToCheck } from './job-terms.ts'
import { costOf, jobStatuses, readJob, startJob } from './jobs.ts'
import type { TaskQueue } from './queue.ts'

const security = [{ apiKey: [] }]
const tags = ['Scraping']

export interface ScrapeDependencies extends JobTermsDependencies, RouteDependencies {
  queue: TaskQueue
  jobTimeLimitMs: number
  pricing: Pricing
}

/** Routes to start and poll scrape jobs. */
export function registerScrapeRoutes(app: App, dependencies: ScrapeDependencies): void {
  registerStart(app, dependencies)
  registerPoll(app, dependencies)
}

const startDescription =
  'Reserves depth x platforms credits, of the platforms that are on. Every delivered page costs one; the rest is released ' +
  'at the end. An account runs as many jobs at a time as its plan allows; further ones stay `pending` and begin in the order ' +
  'of their start. A job of only platforms that are off is `completed` at once: its `errors` say what to set. With `sources` and ' +
  'without `platforms`, the job is of the platforms of the sources. Each source must exist and be public, or the call is refused.'

const startBody = (dependencies: ScrapeDependencies) =>
  closed({
    ...jobTermsSchema(dependencies),
    maxCredits: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Refuses the job when it would cost more than this' }),
    ),
  })

type StartBody = Static<ReturnType<typeof startBody>>

const startedJob = closed({
  jobId: Type.String(),
  status: oneOf(jobStatuses),
  topic: Type.String(),
  platforms: Type.Array(anyPlatform),
  depth: Type.Integer(),
  sources: jobSchema.properties.sources,
})

function registerStart(app: App, dependencies: ScrapeDependencies): void {
  const { clock, queue, jobTimeLimitMs, authentication, idempotent, jobSources, pricing } = dependencies
  app.post('/api/v1/scrape', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'startScrapeJob',
      summary: 'Start a scrape job',
      description: startDescription,
      tags,
      security,
      headers: idempotencyHeaders,
      body: startBody(dependencies),
      response: {
        200: closed({ data: startedJob, usage }),
        ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', ...idempotencyErrors),
      },
    },
    handler: async (request, reply) => {
      const { accountId, keyId, keyHasBudget, personName } = authentication.accountOf(request)
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + jobTimeLimitMs)
      const { named, ...terms } = readTerms(request.body, dependencies)
      const sources = byPlatform(named)
      const job = { ...terms, sources, accountId, keyId, keyHasBudget, personName, pricing, now, expiresAt }
      // Outside the transaction, because it takes seconds. Thrown later: a repeated call gets the first one's answer.
      const refusal = await jobSources.check(sourcesToCheck({ named, off: terms.off }))
      return idempotent(request, reply, async (transaction) => {
        if (refusal !== null) throw refusal
        const jobId = await startJob(transaction, queue, job)
        const credits = await readCreditUsage(transaction, pricing, job, now)
        const { topic, platforms, off, depth } = job
        const status = off.length === platforms.length ? ('completed' as const) : ('pending' as const)
        const data = { jobId, status, topic, platforms, depth }
        const named = sources.size > 0 ? { sources: Object.fromEntries(sources) } : {}
        return { data: { ...data, ...named }, usage: { credits } }
      })
    },
  })
}

/** @throws ServiceError INVALID_REQUEST: a topic without words, a wrong source, or above `maxCredits` */
function readTerms({ maxCredits, ...body }: StartBody, dependencies: ScrapeDependencies) {
  const terms = readJobTerms(body, dependencies)
  const cost = costOf(dependencies.pricing, terms)
  if (maxCredits !== undefined && cost > maxCredits) {
    throw invalidField('maxCredits', `the job would cost up to ${cost} credits (depth x platforms)`)
  }
  return terms
}

function registerPoll(app: App, { database, authentication }: ScrapeDependencies): void {
  app.get('/api/v1/scrape/:jobId', {
    onRequest: authentication.requireAccountPolling,
    schema: {
      operationId: 'readScrapeJob',
      summary: 'Poll a scrape job',
      tags,
      security,
      params: closed({ jobId: Type.String() }),
      response: reading(jobSchema, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { jobId } = request.params
      const job = isId(jobId) ? await readJob(database, accountId, jobId) : null
      if (job === null) throw notFound('Scrape job')
      return { data: job }
    },
  })
}
