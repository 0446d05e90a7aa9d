import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Body, Data } from '../../../client/types.ts'
import { closed, oneOf } from '../../http/schemas.ts'
import { formatMoment } from '../../runtime/dates.ts'
import { mutedNews } from '../../watches/schemas.ts'
import type { Answer, Row } from '../answer.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { type Call, invalid, onceWith, tool } from '../tool.ts'
import { cursor, idempotencyKey, platforms } from './inputs.ts'
import { inLine, nameOf } from './requests.ts'

const input = closed({
  action: oneOf(['create', 'list', 'pause', 'resume', 'mute']),
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
  watchId: Type.Optional(Type.String({ maxLength: 100, description: 'Of pause, resume and mute' })),
  mutedNews: Type.Optional(mutedNews('Of create and mute: kinds of news that are not told')),
  cursor,
})
type Input = Static<typeof input>
type Watch = Data<'listWatches'>['results'][number]

function rowOf(watch: Watch): Row {
  const { watchId, askingBecause, mutedNews: muted, schedule, monthlyCredits, usedThisMonth, nextRunAt } = watch
  const state = askingBecause === null ? watch.state : `${watch.state}: ${askingBecause}`
  return {
    facts: {
      watchId,
      state: watch.state,
      askingBecause,
      mutedNews: muted,
      nextRunAt,
      maxCredits: monthlyCredits,
      creditsThisMonth: usedThisMonth,
    },
    foreign: { name: nameOf(watch.name), topic: nameOf(watch.topic), schedule },
    line: `- ${inLine(nameOf(watch.name))} (watchId ${watchId}, ${state}, next run ${nextRunAt === null ? 'none' : formatMoment(nextRunAt)}, ${usedThisMonth} of ${monthlyCredits} credits this month)`,
  }
}

/** One watch, as a list of one. */
const answerOfWatch = (did: string, watch: Watch): Answer => ({
  summary: `Watch ${watch.watchId} ${did}.`,
  rows: [rowOf(watch)],
})

async function createWatch(given: Input, { client, signal }: Call): Promise<Answer> {
  const { topic, maxCredits, platforms: named, schedule, timezone, goal, mutedNews: muted } = given
  if (topic === undefined) throw invalid('topic: is required to create a watch.')
  if (maxCredits === undefined) throw invalid('maxCredits: is required to create a watch.')
  const terms = { topic, schedule, timezone, goal, platforms: named, monthlyCredits: maxCredits, mutedNews: muted }
  const body = terms as Body<'createWatch'>
  const call = client.POST('/api/v1/watches', { body, params: onceWith(given.idempotencyKey), signal })
  return answerOfWatch('was made', (await answerOf(call)).data)
}

async function changeWatch(given: Input, { client, signal }: Call): Promise<Answer> {
  const { action, watchId, mutedNews: muted } = given
  if (watchId === undefined) throw invalid(`watchId: is required to ${action} a watch.`)
  if (action === 'mute' && muted === undefined) throw invalid('mutedNews: is required to mute news; [] mutes none.')
  const state = action === 'pause' ? 'paused' : 'active'
  const body = (action === 'mute' ? { mutedNews: muted } : { state }) as Body<'changeWatch'>
  const call = client.PATCH('/api/v1/watches/{watchId}', { params: { path: { watchId } }, body, signal })
  const did = action === 'mute' ? `mutes ${muted!.length === 0 ? 'nothing' : muted!.join(', ')}` : `is ${state}`
  return answerOfWatch(did, (await answerOf(call)).data)
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
    'Have a topic collected again and again, and read what is new with news. Each run costs as collect does, within maxCredits a month. Also lists, pauses and resumes watches, and mutes kinds of news.',
  scope: 'collect',
  isOpenWorld: true,
  input,
  output: closed({}),
  call(given, call) {
    if (given.action === 'create') return createWatch(given, call)
    return given.action === 'list' ? listWatches(given, call) : changeWatch(given, call)
  },
})
