import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { ListView, NewSavedView, SavedView } from '../api/types.ts'
import { isSameList } from '../search/same-list.ts'
import { addressOf, everything, listOf, parseView, type View } from '../search/view.ts'
import { savedListKey, useSavedList } from './saved-list.ts'
import { dayAgo, periodOf } from './views.ts'

/** A saved view that the page can show, and where. */
export interface KeptView extends SavedView {
  address: string
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

function viewOf({ view, periodDays }: SavedView): View {
  const { query = '', filters = {}, sortBy } = view as ListView
  const { platforms = [], tags = [], topic = '', minVotes = null, since = '', until, status = [] } = filters
  const asked: View = {
    ...{ ...everything, query, platforms, tags, topic, minVotes, statuses: status },
    since: periodDays === null ? since : dayAgo(periodDays - 1),
    until: until === undefined ? '' : dayBefore(until),
    mark: filters.mark === undefined || filters.mark === 'none' ? null : filters.mark,
    isStarred: filters.starred ?? false,
    sortBy: sortBy ?? (query === '' ? 'votes' : 'relevance'),
  }
  return parseView(new URL(addressOf(asked), location.origin).searchParams)
}

/** @returns null for a view of a program that the page cannot show as it is, such as one of a product. */
function keptOf(saved: SavedView): KeptView | null {
  const view = viewOf(saved)
  const shown = listOf(saved.periodDays === null ? view : { ...view, since: '' })
  return isSameList(shown, { sortBy: shown?.sortBy, ...saved.view }) ? { ...saved, address: addressOf(view) } : null
}

/** What is saved of a view. @param periodDays of what was opened, which is kept while its beginning is the same */
export function contentOf(view: View, periodDays: number | null = null): Omit<NewSavedView, 'name'> | null {
  const isSamePeriod = periodDays !== null && view.since === dayAgo(periodDays - 1) && view.until === ''
  const days = isSamePeriod ? periodDays : (periodOf(view) ?? null)
  const list = listOf(days === null ? view : { ...view, since: '' })
  return list && { view: list, periodDays: days }
}

const byName = (saved: readonly SavedView[]): readonly KeptView[] =>
  saved
    .flatMap((one) => keptOf(one) ?? [])
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))

/** The saved views of the account that the page can show, by their names. */
export function useSavedViews(): readonly KeptView[] {
  const { data } = useSavedList()
  return useMemo(() => byName(data ?? []), [data])
}

/** Saving, changing and deleting views; the list on the screen follows at once. */
export function useViewChanges() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMemo(() => {
    const put = (update: (views: SavedView[]) => SavedView[]) =>
      queries.setQueryData<SavedView[]>(savedListKey(owner), (views) => views && update(views))
    const params = (viewId: string) => ({ path: { viewId } })
    return {
      create: async (body: NewSavedView) => {
        const made = await dataOf(api.POST('/api/v1/views', { body, params: once(keyFor(body)) }))
        done()
        put((views) => [...views.filter(({ viewId }) => viewId !== made.viewId), made])
      },
      change: async (viewId: string, body: Partial<NewSavedView>) => {
        const changed = await dataOf(api.PATCH('/api/v1/views/{viewId}', { body, params: params(viewId) }))
        put((views) => views.map((one) => (one.viewId === viewId ? changed : one)))
      },
      remove: async (viewId: string) => {
        await dataOf(api.DELETE('/api/v1/views/{viewId}', { params: params(viewId) }))
        put((views) => views.filter((one) => one.viewId !== viewId))
      },
    }
  }, [owner, queries, keyFor, done])
}
