import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { WatchSettings } from '../api/types.ts'
import { useChannels } from '../channels/use-channels.ts'
import { watchAddress, watchesAddress } from '../shell/addresses.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate, useAddress } from '../shell/router.tsx'
import { usePlatforms } from '../shell/use-platforms.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { type Draft, draftOfAddress } from './draft.ts'
import { watchesKey } from './use-watches.ts'
import { WatchForm } from './watch-form.tsx'

/** What was typed in the form of each address: who adds a channel first finds it again. */
const kept = new Map<string, Draft>()

/** The form of a new watch. A link may fill it in. */
export function NewWatchPage() {
  const { search } = useAddress()
  const owner = useOwner()
  const key = `${owner} ${search}`
  const platforms = usePlatforms()
  const channels = useChannels()
  const keep = useCallback((draft: Draft) => void kept.set(key, draft), [key])
  const making = useMaking(key)
  // A key that may not see the channels chooses none.
  const isRead = platforms.data !== undefined && channels.isFetched
  // One that waits for its confirmation is told of what comes after it.
  const able = channels.data?.results.filter(({ state }) => state !== 'disabled').map(({ channelId }) => channelId)
  return (
    <Page title={texts.newTitle} intro={texts.newIntro}>
      <p className="crumb">
        <Link href={watchesAddress}>{texts.all}</Link>
      </p>
      {platforms.data && isRead ? (
        <WatchForm
          key={search}
          platforms={platforms.data}
          initial={kept.get(key) ?? draftOfAddress(platforms.data, new URLSearchParams(search), able ?? [])}
          isNew={true}
          keep={keep}
          save={making}
        />
      ) : platforms.error === null ? (
        <Loading />
      ) : (
        <Problem error={platforms.error} retry={platforms.refetch} />
      )}
    </Page>
  )
}

/** Makes a watch and shows it. An equal one that is submitted again is the same, until one was made. */
function useMaking(key: string) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMutation({
    mutationFn: (settings: WatchSettings) =>
      dataOf(api.POST('/api/v1/watches', { body: settings, params: once(keyFor(settings)) })),
    onSuccess: async ({ watchId }) => {
      done()
      const runsNow = kept.get(key)?.runsNow === true
      kept.delete(key)
      // A run that is refused, such as for want of credits, is told on the watch's own page; the watch is there.
      if (runsNow) await runOnce(watchId, keyFor(['run', watchId])).catch(() => {})
      void queries.invalidateQueries({ queryKey: [...watchesKey(owner), 'list'] })
      navigate(watchAddress(watchId))
    },
  })
}

const runOnce = (watchId: string, key: string) =>
  dataOf(api.POST('/api/v1/watches/{watchId}/run', { params: { path: { watchId }, ...once(key) } }))
