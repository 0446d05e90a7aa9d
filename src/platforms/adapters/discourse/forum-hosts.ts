import type { Clock } from '../../../runtime/clock.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { asFields, type Fields } from '../../content/fields.ts'
import { type FoundRequest, PlatformError } from '../../platform.ts'
import { createNamedHosts } from '../named-hosts.ts'
import type { Forum } from './forum.ts'
import { readTopicPage, topicIdOf } from './post.ts'

interface Completion {
  forum: Forum
  /** Topic words: excerpts that lack one come first. */
  words: readonly string[]
  signal: AbortSignal
  /** Sends `GET /t/<id>.json`. Fails instead of waiting if the forum's limits allow no request now. */
  getTopic(id: string, signal: AbortSignal): Promise<unknown>
}

/** Maximum extra requests per search page. */
const completedAPage = 5
/** Low enough that parallel reads of one forum never find its queue full. */
const parallelReads = 2
/** How long a page waits for them, in milliseconds. */
const patienceMs = 2_000

/** Completes excerpts from topic pages; an unreadable one stays an excerpt and never fails the page. */
export async function completeExcerpts(
  requests: readonly FoundRequest[],
  { forum, words, signal, getTopic }: Completion,
): Promise<FoundRequest[]> {
  const excerpts = requests.filter(({ excerpt }) => excerpt)
  const isSure = ({ title, description }: FoundRequest) => hasAll(`${title} ${description}`, words)
  const chosen = [...excerpts.filter((one) => !isSure(one)), ...excerpts.filter(isSure)].slice(0, completedAPage)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const completed = new Map<FoundRequest, FoundRequest>()
  const next = chosen.values()
  const completeNext = async () => {
    for (const request of next) {
      const topic = readTopicPage(await orNull(getTopic(topicIdOf(request, forum), patience)), forum)
      if (isFound(topic) && topic.sourceId === request.sourceId && topic.description !== '') {
        // Category name and votes come from the search; only the text comes from the topic page.
        completed.set(request, { ...request, description: topic.description, excerpt: false })
      }
    }
  }
  await Promise.all(Array.from({ length: parallelReads }, completeNext))
  return requests.map((request) => completed.get(request) ?? request)
}

const isFound = (result: ReturnType<typeof readTopicPage>): result is FoundRequest =>
  result !== null && typeof result !== 'string'

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word.toLowerCase()))
}

async function orNull(answer: Promise<unknown>): Promise<Fields | null> {
  try {
    return asFields(await answer)
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}

/** Budgets of one forum, shared by all tasks. */
export interface ForumHost {
  searches: Budget
  /** For all other requests, such as topic pages. */
  reads: Budget
  /** Whether only accounts, not the operator, named this forum. */
  isForeign: boolean
}

export interface ForumHosts {
  /** @throws PlannedWaitError if too many account-named forums are in use at once */
  of(forum: Forum): ForumHost
}

export interface ForumHostsOptions {
  clock: Clock
  openBudget: OpenBudget
  forums: readonly Forum[]
  /** Maximum other forums to remember. */
  maxForeign?: number
}

/** Site settings `rate_limit_search_anon_user_per_minute` (15) and `_per_second` (2, discourse/discourse#19708). */
const searchLimits = (name: string): BudgetLimits => ({
  name,
  windows: [
    { limit: 15, windowMs: 60_000 },
    { limit: 2, windowMs: 1_000 },
  ],
  concurrency: 1,
})

/** A tenth of the reads a forum allows an address: 200 a minute and 50 in ten seconds (meta.discourse.org/t/78612). */
const readLimits = (name: string): BudgetLimits => ({
  name: `${name} (topics)`,
  windows: [
    { limit: 20, windowMs: 60_000 },
    { limit: 5, windowMs: 1_000 },
  ],
  concurrency: parallelReads,
  isUnlisted: true,
})

/** Creates the budgets of all forums of this process. Categories of one forum share its budget. */
export function createForumHosts({ clock, openBudget, forums, maxForeign = 200 }: ForumHostsOptions): ForumHosts {
  const hostOf = createNamedHosts<ForumHost>({
    clock,
    listed: forums.map(({ name }) => name),
    open: (name, isForeign) => ({
      searches: openBudget({ ...searchLimits(name), isUnlisted: isForeign }),
      reads: openBudget(readLimits(name)),
      isForeign,
    }),
    budgetsOf: ({ searches, reads }) => [searches, reads],
    what: 'forums',
    maxForeign,
  })
  return { of: ({ name }) => hostOf(name) }
}
