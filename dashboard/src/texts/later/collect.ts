import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import type { DiscardReason, PlatformErrorCode, PlatformStatus } from '../../api/types.ts'
import { conjunction, number } from '../../shell/format.ts'
import { counts } from '../counts.ts'

/** Why something that a platform returned was left out. */
const discardedFor: Record<DiscardReason, (count: number) => string> = {
  offTopic: (count) => t`${number(count)} not about the topic`,
  noText: (count) => t`${number(count)} without text`,
  reply: (count) => plural(count, { one: '# reply', other: '# replies' }),
  notPublic: (count) => t`${number(count)} not public`,
  removed: (count) => t`${number(count)} removed by the platform`,
  beyondLimit: (count) => t`${number(count)} beyond what is read at once`,
}

/** What helps, by the code of a platform's error; where there is nothing, the message says it. */
const remedies: Record<PlatformErrorCode, string> = {
  rate_limited: t`It asked us to slow down: run it again later.`,
  unauthorized: t`Its credentials are refused: the operator must renew them.`,
  blocked: t`It blocked us: the operator finds the reason on the page of the platform.`,
  bad_response: t`It answered something that cannot be read: run it again later.`,
  timeout: t`It took too long: run it again, or less deep.`,
  unavailable: t`It could not be reached: run it again later.`,
  quota_exhausted: t`Its daily quota is spent: run it again tomorrow.`,
  not_configured: t`The operator must set its credentials.`,
  cancelled: t`It was cancelled before it was done.`,
}

export const collectTexts = {
  title: t`Collect`,
  toImport: t`Import feedback`,
  intro: (isFree: boolean) =>
    isFree
      ? t`Bring in what people ask for about a topic.`
      : t`Bring in what people ask for about a topic. A page of a platform costs one credit; what is not delivered costs nothing.`,
  topic: t`Topic`,
  topicPlaceholder: t`dark mode, offline maps, CSV import …`,
  topicFault: t`A topic has 2 to 100 characters.`,
  platforms: t`Platforms`,
  platformsFault: t`Choose at least one platform.`,
  /** What a platform gave before: the number that people choose by is the cost of a wish. */
  gave: ({ isOfAlikeTopics, topics, pages, likely, creditsPerWish }: NonNullable<PlatformStatus['yield']>) => {
    const of = isOfAlikeTopics
      ? plural(topics, { one: '# topic like this', other: '# topics like this' })
      : plural(topics, { one: '# topic', other: '# topics' })
    return creditsPerWish === null
      ? t`No new wish on ${counts.pages(pages)} (${of})`
      : t`${counts.wishes(likely)} on ${counts.pages(pages)}, ${number(creditsPerWish)} credits a wish (${of})`
  },
  platformState: {
    ready: t`ready`,
    waiting: t`busy`,
    unreachable: t`cannot be reached`,
    paused: t`paused`,
    quota_exhausted: t`quota spent`,
    not_configured: t`not set up`,
    off: t`not set up`,
  },
  ownSources: t`Choose the sources`,
  ownSourcesNote: t`Collect only from these, with a comma between two. Requests from sources that your operator does not list are visible only to accounts that named them.`,
  sourcesOf: (platform: string) => t`Only from these sources of ${platform}`,
  sourceForm: (form: string, example: string) => t`${form}, such as ${example}`,
  sourceFault: (source: string, message: string) =>
    message.startsWith('must ')
      ? `“${source}” ${message}`
      : message.includes(source)
        ? message
        : `${source}: ${message}`,
  fromSources: (count: number) => t`only from ${plural(count, { one: '# source', other: '# sources' })}`,
  notAnswering: t`not answering`,
  answersInPart: t`answers in part`,
  resumes: (when: string) => t`again ${when}`,
  depth: t`Depth`,
  pages: (count: number) => counts.pages(count),
  charged: (credits: number, by: string | null) =>
    by === null ? counts.credits(credits) : t`${counts.credits(credits)} by ${by}`,
  cost: (credits: number) => t`Up to ${counts.credits(credits)}`,
  free: t`Nothing is charged`,
  costOf: (depth: number, platforms: number) => `${counts.pages(depth)} × ${counts.platforms(platforms)}`,
  creditsLeft: (credits: number) => t`${number(credits)} left`,
  tooDear: (cost: number, left: number) =>
    t`It costs up to ${counts.credits(cost)}, and you have ${number(left)} left.`,
  tooDearAdvice: (resetsAt: string) =>
    t`Choose fewer pages or platforms, or get a pack; the monthly pool renews on ${resetsAt}.`,
  tooLittle: (credits: number) => t`only ${number(credits)} left: fewer pages or platforms, or a pack`,
  start: t`Start`,
  starting: t`Starting …`,
  noPlatform: t`No platform is ready`,
  noPlatformAdvice: t`Collecting needs at least one. This is what your operator can do:`,

  history: t`Collections`,
  withStatus: t`Status`,
  anyStatus: t`Any`,
  noJobs: t`None yet. The first one starts above.`,
  newShort: t`new`,
  runAgain: t`Run again`,
  runAgainLabel: (topic: string) => t`Run again: ${topic}`,

  job: t`Collection`,
  allJobs: t`All collections`,
  status: t`Status`,
  jobStatus: {
    pending: t`waiting`,
    running: t`running`,
    completed: t`completed`,
    failed: t`failed`,
    cancelled: t`cancelled`,
  },
  failedOrCancelled: t`failed or cancelled`,
  taskState: { pending: t`waiting`, running: t`running`, done: t`done`, error: t`failed`, skipped: t`skipped` },
  costOfJob: t`Cost`,
  depthOfJob: t`Depth, each platform`,
  pagesRead: t`Pages`,
  found: t`Found`,
  created: t`New requests`,
  maybeCreated: (count: number) => plural(count, { one: '# more may be a request', other: '# more may be requests' }),
  discarded: (reasons: [DiscardReason, number][]) =>
    t`Left out: ${reasons.map(([reason, count]) => discardedFor[reason](count)).join(', ')}`,
  onlyFrom: (sources: readonly string[]) => t`Only from ${conjunction(sources)}`,
  undated: (count: number) => t`${number(count)} without a date`,
  sourcesNotReached: (sources: readonly string[]) => t`The depth did not reach ${conjunction(sources)}`,
  startedAt: t`Started`,
  completedAt: t`Ended`,
  byPlatform: t`By platform`,
  platform: t`Platform`,
  state: t`State`,
  progressOf: (platform: string) => t`Pages of ${platform}`,
  pagesOf: (pages: number, depth: number) => t`${number(pages)} of ${number(depth)}`,
  waitsFor: (seconds: number) => (seconds > 0 ? t`goes on in ${seconds} s` : t`goes on`),
  waitsForLimit: (seconds: number) => (seconds > 0 ? t`waits ${seconds} s for its limit` : t`goes on`),
  triesAgain: (seconds: number) => (seconds > 0 ? t`tries again in ${seconds} s` : t`tries again`),
  newsBy: {
    events: t`Live.`,
    polls: t`Live events do not come through; the page asks for the state every two seconds.`,
    trouble: t`The connection is broken; trying again …`,
    ended: t`It has ended.`,
  },
  cancelledWith: (created: number) =>
    t`Cancelled with ${plural(created, { one: '# new request', other: '# new requests' })}. Pages that were delivered stay charged, the rest came back.`,
  cancelled: t`cancelled`,
  remedy: (code: PlatformErrorCode) => remedies[code],
  cancel: t`Cancel`,
  cancelling: t`Cancelling …`,
  cancelQuestion: t`Cancel it? Delivered pages stay charged.`,
  cancelConfirm: t`Yes, cancel it`,
  seeFinds: t`See what it found`,
  understand: t`See the topic`,
  endedAfter: (hasFailed: boolean, time: string | null) =>
    hasFailed ? t`Failed after ${time ?? t`less than a second`}.` : t`Finished in ${time ?? t`less than a second`}.`,
}
