import { type Static, type TProperties, Type } from 'typebox'
import { closed, moment, nullable, oneOf, openWord } from '../../http/schemas.ts'
import { disabledReasons } from '../../notifications/channels/adapter.ts'
import { platformNames } from '../../platforms/registry.ts'
import { platformErrorCode } from '../../platforms/schemas.ts'
import { platformStates } from '../../platforms/status.ts'
import { keyFiles } from '../backup/last-backup.ts'
import { maxCounted } from '../metrics/gauges.ts'

/** Accounts with failing channels that are named. */
export const maxAccounts = 20

const counted = (description: string) =>
  Type.Integer({ description: `${description}; ${maxCounted} stands for that many or more` })
const part = <P extends TProperties>(description: string, properties: P) => closed(properties, { description })

const judging = part('What the model judges; null where `AI_JUDGED_PER_DAY` is 0', {
  perDay: Type.Integer({ description: 'The maximum of texts of a UTC day' }),
  today: Type.Integer({ description: 'How many were sent today' }),
  unanswered: counted('Texts that were sent, and are sent again because no answer could be used'),
})

const backlogs = part('What waits', {
  jobsQueued: counted('Jobs that wait because their account runs as many as its plan allows'),
  tasks: counted('Tasks of jobs that have not ended'),
  queueMessages: counted('Of these and of live calls, what is due and no worker has taken'),
  queueOldestSeconds: Type.Number({ description: 'How long the oldest of these messages has been due; 0 without one' }),
  liveCalls: Type.Integer({ description: 'Live calls under way' }),
  deliveries: counted('Deliveries that are due'),
  deliveryOldestSeconds: Type.Number({ description: 'How long the oldest of them has been due; 0 without one' }),
  refreshes: counted('Requests that are due to be read again'),
  unplacedRequests: counted('Requests that wait to be placed in wishes'),
  uncountedTexts: counted('Texts whose words wait to be counted'),
  judging: nullable(judging),
})

const failingPlatform = closed({
  platform: openWord(platformNames, 'Its name'),
  state: oneOf(platformStates),
  resumesAt: nullable(moment('When it is queried again; null for now')),
  lastSuccessAt: nullable(moment('It has failed since then; null: it never answered')),
  lastError: nullable(
    closed({
      host: Type.String(),
      code: platformErrorCode,
      message: Type.String(),
      at: moment('When'),
    }),
  ),
  advice: nullable(Type.String({ description: 'What to do' })),
})

const failingAccount = closed({
  accountId: Type.String(),
  name: Type.String(),
  failing: Type.Integer({ description: 'Channels on which nothing could be delivered lately' }),
  disabled: Type.Integer(),
  newest: part('The channel that failed last', {
    channelId: Type.String(),
    type: Type.String(),
    failingSince: nullable(moment('Since when every attempt failed')),
    disabledReason: nullable(openWord(Object.keys(disabledReasons), 'Why it was disabled; null while it is not')),
    error: nullable(Type.String({ description: 'What failed at the last attempt, in words of our own' })),
    failedAt: nullable(moment('When that was')),
  }),
})

const lastOf = (what: string) => ({
  count: counted(what),
  lastAt: nullable(moment('When the last one was made')),
})

/** What an operator looks at first. */
export const overview = closed({
  version: Type.String(),
  startedAt: moment('Since when this process runs'),
  isReady: Type.Boolean({ description: 'As `/readyz` says' }),
  warnings: Type.Array(Type.String(), { description: 'As of `/readyz`: what to do while the service goes on' }),
  database: closed({
    backend: oneOf(['embedded', 'postgres']),
    bytes: Type.Integer({ description: 'Its size on its disk' }),
    freeBytes: nullable(Type.Integer({ description: 'Free on the disk of the data directory; null with a Postgres' })),
  }),
  search: closed({
    engine: oneOf(['bm25', 'tsvector', 'opensearch']),
    isReady: Type.Boolean({ description: 'Whether it answers, with an index of all requests' }),
    unreadChanges: counted('Changes of requests that its index does not have yet'),
    lagMs: Type.Integer({ description: 'The age of the oldest of them' }),
  }),
  backlogs,
  platforms: Type.Array(failingPlatform, { description: 'Those that are on and fail' }),
  channels: closed({
    failing: Type.Integer({ description: 'On which nothing could be delivered lately' }),
    disabled: Type.Integer(),
    accounts: Type.Array(failingAccount, {
      description: `Whose they are, the last failure first; at most ${maxAccounts}`,
    }),
  }),
  backup: nullable(
    part('By `GET /api/admin/backup` or `wishwell admin backup`; null with a Postgres, which pg_dump backs up', {
      lastAt: nullable(moment('The moment of the last one that was read to its end; null: none')),
      missingKeys: Type.Array(oneOf(keyFiles), {
        description: 'Files of the data directory that no backup holds: keep a copy of them elsewhere',
      }),
    }),
  ),
  corrections: closed({
    requests: part('What people said is a request, or is none', lastOf('By all accounts and the operator')),
    wishes: part('Wishes that people, or the model, merged, split or told apart', lastOf('Those that hold')),
  }),
  purges: part('Purges that suppress what they deleted', {
    ...lastOf('Purges'),
    suppressed: counted('Requests and authors that are never stored again'),
  }),
})

export type Overview = Static<typeof overview>
