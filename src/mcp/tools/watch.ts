import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Body, Data } from '../../../client/types.ts'
import { closed, oneOf } from '../../http/schemas.ts'
import type { Answer, Row } from '../answer.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { type Call, invalid, onceWith, tool } from '../tool.ts'
import { cursor, idempotencyKey, platforms } from './inputs.ts'
import { inLine, nameOf } from './requests.ts'

const input = closed({
  action: oneOf(['create', 'list', 'pause', 'resume']),
  topic: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Of create' })),
  maxCredits: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Of create, required: the most that its runs cost in a calendar month' }),
  ),
  platforms,
  schedule: Type.Optional(
    Type.String({ maxLength: 100, description: 'hourly, daily (default), weekly, monthly or a cron expression' }),
  ),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: 'Such as Europe/Berlin; UTC by default' })),
  goal: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'What news should be about' })),
  idempotencyKey,
  watchId: Type.Optional(Type.String({ maxLength: 100, description: 'Of pause and resume' })),
  cursor,
})
type Input = Static<typeof input>
type Watch = Data<'listWatches'>['results'][number]

function rowOf(watch: Watch): Row {
  const { watchId, state, schedule, monthlyCredits, usedThisMonth, nextRunAt } = watch
  return {
    facts: { watchId, state, nextRunAt, maxCredits: monthlyCredits, creditsThisMonth: usedThisMonth },
    foreign: { name: nameOf(watch.name), topic: nameOf(watch.topic), schedule },
    line: `- ${inLine(nameOf(watch.name))} (watchId ${watchId}, ${state}, next run ${nextRunAt ?? 'none'}, ${usedThisMonth} of ${monthlyCredits} credits this month)`,
  }
}

/** One watch is a list of one. */
const answerOfWatch = (did: string, watch: Watch): Answer => ({
  summary: `Watch ${watch.watchId} ${did}.`,
  rows: [rowOf(watch)],
})

async function createWatch(given: Input, { client, signal }: Call): Promise<Answer> {
  const { topic, maxCredits, platforms: named, schedule, timezone, goal } = given
  if (topic === undefined) throw invalid('topic: is required to create a watch.')
  if (maxCredits === undefined) throw invalid('maxCredits: is required to create a watch.')
  const body = { topic, schedule, timezone, goal, platforms: named, monthlyCredits: maxCredits } as Body<'createWatch'>
  const call = client.POST('/api/v1/watches', { body, params: onceWith(given.idempotencyKey), signal })
  return answerOfWatch('was made', (await answerOf(call)).data)
}

async function setState({ action, watchId }: Input, { client, signal }: Call): Promise<Answer> {
  if (watchId === undefined) throw invalid(`watchId: is required to ${action} a watch.`)
  const state = action === 'pause' ? 'paused' : 'active'
  const call = client.PATCH('/api/v1/watches/{watchId}', { params: { path: { watchId } }, body: { state }, signal })
  return answerOfWatch(`is ${state}`, (await answerOf(call)).data)
}

async function listWatches(given: Input, { client, signal }: Call): Promise<Answer> {
  const position = positionOf('watch', given)
  const query = { limit: 50, ...(position.at === null ? {} : { cursor: String(position.at) }) }
  const { data } = await answerOf(client.GET('/api/v1/watches', { params: { query }, signal }))
  const summary = data.results.length === 0 ? 'There is no watch.' : 'Watches, the first made first.'
  return { summary, ...pageAt(position, data.results.map(rowOf), data.cursor) }
}

export const watch = tool({
  name: 'watch',
  title: 'Watch a topic',
  description:
    'Have a topic collected again and again, and read what is new with news. Each run costs as collect does, within maxCredits a month. Also lists, pauses and resumes watches.',
  scope: 'collect',
  isOpenWorld: true,
  input,
  output: closed({}),
  call(given, call) {
    if (given.action === 'create') return createWatch(given, call)
    return given.action === 'list' ? listWatches(given, call) : setState(given, call)
  },
})
