import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import { closed } from '../../http/schemas.ts'
import type { Answer } from '../answer.ts'
import { type Body, type Call, type Data, invalid, onceWith, tool } from '../tool.ts'
import { idempotencyKey, platforms } from './inputs.ts'
import { nameOf } from './requests.ts'

const input = closed({
  topic: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Start a job about this' })),
  platforms,
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 40, description: 'Pages per platform, by default 1' })),
  maxCredits: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'With topic: refused, before anything is spent, if depth x platforms is more',
    }),
  ),
  idempotencyKey,
  jobId: Type.Optional(Type.String({ maxLength: 100, description: 'Instead of topic: how far that job is' })),
})

type Job = Data<'readScrapeJob'>

const hasEnded = ({ status }: Pick<Job, 'status'>) => status === 'completed' || status === 'failed'

/** What became of a job. What a platform said is its own text. */
function answerOfJob(job: Job): Answer {
  const { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt } = job
  const errors = (job.errors ?? []).map(({ platform, code }) => ({ platform, code }))
  const waiting = (job.waiting ?? []).map(({ platform, code, until }) => ({ platform, code, until }))
  const spent = hasEnded(job) ? `${credits.settled} credits` : `${credits.settled} credits, ${credits.held} held`
  const next = hasEnded(job) ? 'search finds what it stored.' : `Call collect with this jobId again in some seconds.`
  return {
    summary: `Job ${jobId} is ${status}: ${requestsCreated} new requests, ${maybeCreated} that may be one, ${spent}. ${next}`,
    facts: { jobId, status, requestsCreated, maybeCreated, credits, progress, completedAt, errors, waiting },
    foreign: {
      topic: nameOf(job.topic),
      messages: [...(job.errors ?? []), ...(job.waiting ?? [])].map(({ message }) => nameOf(message)),
    },
  }
}

async function readJob(jobId: string, { client, signal }: Call): Promise<Answer> {
  const { data } = await answerOf(client.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } }, signal }))
  return answerOfJob(data)
}

async function startJob(given: Static<typeof input> & { topic: string }, call: Call): Promise<Answer> {
  const { topic, depth, maxCredits, idempotencyKey: key, platforms: named } = given
  const body = { topic, depth, maxCredits, platforms: named } as Body<'startScrapeJob'>
  const { client, signal } = call
  const { data } = await answerOf(client.POST('/api/v1/scrape', { body, params: onceWith(key), signal }))
  return readJob(data.jobId, call)
}

export const collect = tool({
  name: 'collect',
  title: 'Collect a topic',
  description:
    'Collect feature requests about a topic from public platforms, or poll such a job. A page costs 1 credit. It answers at once with a jobId: call it again with that jobId until the status is completed or failed, then search.',
  scope: 'collect',
  isOpenWorld: true,
  input,
  output: Type.Object({ jobId: Type.String(), status: Type.String(), requestsCreated: Type.Integer() }),
  call(given, call) {
    const { topic, jobId, maxCredits } = given
    if (jobId !== undefined && topic === undefined) return readJob(jobId, call)
    if (topic === undefined || jobId !== undefined) throw invalid('Give either topic or jobId.')
    if (maxCredits === undefined)
      throw invalid('maxCredits: is required with topic; one page of each platform costs 1 credit.')
    return startJob({ ...given, topic }, call)
  },
})
