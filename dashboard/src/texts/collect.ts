import type { DiscardReason, PlatformErrorCode } from '../api/types.ts'
import { conjunction, number, plural } from '../shell/format.ts'

/** Why something that a platform returned was left out. */
const discardedFor: Record<DiscardReason, (count: number) => string> = {
  offTopic: (count) => `${number(count)} not about the topic`,
  noText: (count) => `${number(count)} without text`,
  reply: (count) => plural(count, 'reply', 'replies'),
  notPublic: (count) => `${number(count)} not public`,
  removed: (count) => `${number(count)} removed by the platform`,
}

/** What helps, by the code of a platform's error; where there is nothing, the message says it. */
const remedies: Record<PlatformErrorCode, string> = {
  rate_limited: 'It asks us to be slower: run it again later.',
  unauthorized: 'Its credentials are refused: the operator must renew them.',
  blocked: 'It turned us away: the operator finds the reason on the page of the platform.',
  bad_response: 'It answered something that cannot be read: run it again later.',
  timeout: 'It took too long: run it again, or less deep.',
  unavailable: 'It could not be reached: run it again later.',
  quota_exhausted: 'Its daily quota is spent: run it again tomorrow.',
  not_configured: 'The operator must set its credentials.',
  cancelled: 'It was cancelled before it was done.',
}

export const collectTexts = {
  title: 'Collect',
  intro: (isFree: boolean) =>
    `Bring in what people ask for about a topic.${isFree ? '' : ' A page of a platform costs one credit; what is not delivered costs nothing.'}`,
  topic: 'Topic',
  topicPlaceholder: 'dark mode, offline maps, CSV import …',
  topicFault: 'A topic has 2 to 100 characters.',
  platforms: 'Platforms',
  platformsFault: 'Choose at least one platform.',
  platformState: {
    ready: 'ready',
    waiting: 'busy',
    unreachable: 'cannot be reached',
    paused: 'paused',
    quota_exhausted: 'quota spent',
    not_configured: 'not set up',
    off: 'not set up',
  },
  ownSources: 'Choose the sources',
  ownSourcesNote:
    'Collect only from these, with a comma between two. Requests from sources that your operator does not list are visible only to accounts that named them.',
  sourcesOf: (platform: string) => `Only from these sources of ${platform}`,
  sourceForm: (form: string, example: string) => `${form}, such as ${example}`,
  sourceFault: (source: string, message: string) =>
    message.startsWith('must ')
      ? `“${source}” ${message}`
      : message.includes(source)
        ? message
        : `${source}: ${message}`,
  fromSources: (count: number) => `only from ${plural(count, 'source')}`,
  notAnswering: 'not answering',
  answersInPart: 'answers in part',
  notSetUp: 'Not set up here',
  resumes: (when: string) => `again ${when}`,
  depth: 'Depth',
  pages: (count: number) => plural(count, 'page'),
  charged: (credits: number, by: string | null) => `${plural(credits, 'credit')}${by === null ? '' : ` by ${by}`}`,
  cost: (credits: number) => `Up to ${plural(credits, 'credit')}`,
  free: 'Nothing is charged',
  costOf: (depth: number, platforms: number) => `${plural(depth, 'page')} × ${plural(platforms, 'platform')}`,
  creditsLeft: (credits: number) => `${number(credits)} left`,
  tooDear: (cost: number, left: number) =>
    `It costs up to ${plural(cost, 'credit')}, and you have ${number(left)} left.`,
  tooDearAdvice: (resetsAt: string) =>
    `Choose fewer pages or platforms, or get a pack; the monthly pool is fresh on ${resetsAt}.`,
  tooLittle: (credits: number) => `only ${number(credits)} left: fewer pages or platforms, or a pack`,
  start: 'Start',
  starting: 'Starting …',
  noPlatform: 'No platform is ready',
  noPlatformAdvice: 'Collecting needs at least one. This is what your operator can do:',

  history: 'Collections',
  withStatus: 'Status',
  anyStatus: 'Any',
  noJobs: 'None yet. The first one starts above.',
  newShort: 'new',
  runAgain: 'Run again',
  runAgainLabel: (topic: string) => `Run again: ${topic}`,

  job: 'Collection',
  allJobs: 'All collections',
  status: 'Status',
  jobStatus: {
    pending: 'waiting',
    running: 'running',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  failedOrCancelled: 'failed or cancelled',
  taskState: { pending: 'waiting', running: 'running', done: 'done', error: 'failed', skipped: 'skipped' },
  costOfJob: 'Cost',
  depthOfJob: 'Depth, each platform',
  pagesRead: 'Pages',
  found: 'Found',
  created: 'New',
  maybeCreated: (count: number) => `${number(count)} more may be ${count === 1 ? 'a request' : 'requests'}`,
  discarded: (reasons: [DiscardReason, number][]) =>
    `Left out: ${reasons.map(([reason, count]) => discardedFor[reason](count)).join(', ')}`,
  onlyFrom: (sources: readonly string[]) => `Only from ${conjunction(sources)}`,
  sourcesNotReached: (sources: readonly string[]) => `The depth did not reach ${conjunction(sources)}`,
  startedAt: 'Started',
  completedAt: 'Ended',
  byPlatform: 'By platform',
  platform: 'Platform',
  state: 'State',
  progressOf: (platform: string) => `Pages of ${platform}`,
  pagesOf: (pages: number, depth: number) => `${number(pages)} of ${number(depth)}`,
  waitsFor: (seconds: number) => (seconds > 0 ? `goes on in ${seconds} s` : 'goes on'),
  waitsForLimit: (seconds: number) => (seconds > 0 ? `waits ${seconds} s for its limit` : 'goes on'),
  triesAgain: (seconds: number) => (seconds > 0 ? `tries again in ${seconds} s` : 'tries again'),
  newsBy: {
    events: 'Live.',
    polls: 'Live events do not come through; the state is asked for every two seconds.',
    trouble: 'The connection is broken; trying again …',
    ended: 'It has ended.',
  },
  cancelledWith: (created: number) =>
    `Cancelled with ${plural(created, 'new request')}. Pages that were delivered stay charged, the rest came back.`,
  cancelled: 'cancelled',
  remedy: (code: PlatformErrorCode) => remedies[code],
  cancel: 'Cancel',
  cancelling: 'Cancelling …',
  cancelQuestion: 'Cancel it? Delivered pages stay charged.',
  cancelConfirm: 'Yes, cancel it',
  seeFinds: 'See what it found',
  understand: 'Understand the topic',
  endedAfter: (hasFailed: boolean, time: string | null) =>
    `${hasFailed ? 'Failed after' : 'Finished in'} ${time ?? 'less than a second'}.`,
}
