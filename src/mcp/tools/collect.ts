import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Body } from '../../../client/types.ts'
import { closed } from '../../http/schemas.ts'
import type { Answer } from '../answer.ts'
import { answerOfJob, answerOfStart, type Job } from '../job.ts'
import { type Call, invalid, onceWith, tool } from '../tool.ts'
import { idempotencyKey, platforms } from './inputs.ts'

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

const readJob = async (jobId: string, { client, signal }: Call): Promise<Job> =>
  (await answerOf(client.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } }, signal }))).data

async function startJob(given: Static<typeof input> & { topic: string }, call: Call): Promise<Answer> {
  const { topic, depth, maxCredits, idempotencyKey: key, platforms: named } = given
  const body = { topic, depth, maxCredits, platforms: named } as Body<'startScrapeJob'>
  const { client, signal } = call
  // Not read again: if that failed, the job would seem refused.
  return answerOfStart((await answerOf(client.POST('/api/v1/scrape', { body, params: onceWith(key), signal }))).data)
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
  async call(given, call) {
    const { topic, jobId, maxCredits } = given
    if (jobId !== undefined && topic === undefined) return answerOfJob(await readJob(jobId, call))
    if (topic === undefined || jobId !== undefined) throw invalid('Give either topic or jobId.')
    if (maxCredits === undefined)
      throw invalid('maxCredits: is required with topic; one page of each platform costs 1 credit.')
    return startJob({ ...given, topic }, call)
  },
})
