import type { Clock } from '../../../runtime/clock.ts'
import type { Answer } from '../../client/messages.ts'
import { asDate, asFields, asString } from '../../content/fields.ts'
import { addDiscarded, readItems, requiredList } from '../../content/items.ts'
import { type AnswerHeaders, hasNextLink, headerNumber, headerText } from '../../headers.ts'
import { type PlatformError, SourceRefusedError } from '../../platform.ts'
import { reachesOlder } from '../newest-first.ts'
import type { SourcePage } from '../round-robin.ts'
import { gitlabError, isRefusedAnonymousSearch, type Lister, type ListRequest } from './api.ts'
import { readIssue } from './post.ts'

const pageSize = 100
/** GitLab refuses offsets above 50,000 (docs.gitlab.com/administration/instance_limits, "Max offset"). */
const lastPage = 500
/** For lists without `search`: filtered here, so few issues per page match the topic. */
const lastUnsearchedPage = 10
/** How long to list without `search` after an anonymous search was refused or ignored. */
const unsearchedMs = 3_600_000
/** Fewer hits may all match in text that is not visible. */
const fewestIgnoring = 5

export interface ListingPage {
  source: ListRequest['source']
  label: string | null
  words: readonly string[]
  page: number
  signal: AbortSignal
  /** Only issues created since; always newest first. */
  since?: Date | null | undefined
}

/** Fetches a page of issues that have every word. */
export type FetchIssues = (page: ListingPage) => Promise<SourcePage>

/** Lists and filters the newest issues if an anonymous search is refused or ignored (profclems/glab#841). */
export function createIssueSearch({ list, isAnonymous }: Lister, clock: Clock): FetchIssues {
  let unsearchedUntil = new Date(0)
  const stopSearching = () => {
    unsearchedUntil = new Date(clock.now().getTime() + unsearchedMs)
  }

  async function fetchAnswer(page: ListingPage): Promise<{ answer: Answer; isSearched: boolean }> {
    const { source, signal } = page
    const listAll = () => list({ source, parameters: parametersOf(page, false), signal })
    if (isAnonymous && clock.now() < unsearchedUntil) return { answer: await listAll(), isSearched: false }
    const search = { source, parameters: parametersOf(page, true), signal, returnsRefusal: isAnonymous }
    const answer = await list(search)
    if (!isAnonymous || !isRefusedAnonymousSearch(answer)) return { answer, isSearched: true }
    try {
      const unsearched = await listAll()
      stopSearching()
      return { answer: unsearched, isSearched: false }
    } catch (error) {
      const isRefusal = error instanceof SourceRefusedError || (error as PlatformError).code === 'unauthorized'
      // The search's own refusal explains better what to do.
      throw isRefusal ? (gitlabError(answer, source, false, clock.now()) ?? error) : error
    }
  }

  return async (page) => {
    const { answer, isSearched } = await fetchAnswer(page)
    const items = requiredList(answer.body, { label: 'gitlab', items: 'issues', variable: 'GITLAB_API_URL' })
    const isIgnored = isSearched && items.length >= fewestIgnoring && !items.some((item) => hasAny(item, page.words))
    if (isIgnored && isAnonymous) stopSearching()
    const isFiltered = !isSearched || isIgnored
    const last = isFiltered ? lastUnsearchedPage : lastPage
    const hasMore = page.page < last && items.length > 0 && hasNextPage(answer.headers, page.page, items.length)
    const isOver = reachesOlder(items, (issue) => asDate(issue.created_at), page.since)
    const nextCursor = hasMore && !isOver ? { page: page.page + 1 } : null
    const about = isFiltered ? items.filter((item) => hasAll(item, page.words)) : items
    const { requests, discarded } = await readItems(about, readIssue)
    if (!isFiltered) return { requests, discarded, nextCursor }
    const others = await readItems(
      items.filter((item) => !hasAll(item, page.words)),
      readIssue,
    )
    const left = addDiscarded(others.discarded, { offTopic: others.requests.length })
    return { requests, offTopic: others.requests, discarded: addDiscarded(discarded, left), nextCursor }
  }
}

function parametersOf(
  { label, words, page, since }: ListingPage,
  isSearched: boolean,
): Record<string, string | number> {
  return {
    ...(isSearched ? { search: words.join(' '), in: 'title,description' } : {}),
    scope: 'all',
    state: 'all',
    issue_type: 'issue',
    confidential: 'false',
    ...(label === null ? {} : { labels: label }),
    order_by: 'created_at',
    sort: 'desc',
    ...(since ? { created_after: since.toISOString() } : {}),
    per_page: pageSize,
    page,
  }
}

const hasAny = (issue: unknown, words: readonly string[]) => words.some((word) => textOf(issue).includes(fold(word)))
const hasAll = (issue: unknown, words: readonly string[]) => words.every((word) => textOf(issue).includes(fold(word)))

/** Matches `in=title,description`, which also finds words within words. */
function textOf(issue: unknown): string {
  const fields = asFields(issue)
  return fold(`${asString(fields?.title) ?? ''}\n${asString(fields?.description) ?? ''}`)
}

const fold = (text: string) => text.toLowerCase()

/** `x-next-page` is empty on the last page; keyset lists and some proxies send only `Link`, or neither. */
function hasNextPage(headers: AnswerHeaders, page: number, count: number): boolean {
  if (headerText(headers, 'x-next-page') !== null) return (headerNumber(headers, 'x-next-page') ?? 0) > page
  return headerText(headers, 'link') === null ? count >= pageSize : hasNextLink(headers)
}
