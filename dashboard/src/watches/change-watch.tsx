import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Watch, WatchSettings } from '../api/types.ts'
import { watchAddress } from '../shell/addresses.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { navigate } from '../shell/router.tsx'
import { usePlatforms } from '../shell/use-platforms.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { draftOfWatch } from './draft.ts'
import { watchesKey } from './use-watches.ts'
import { WatchForm } from './watch-form.tsx'

/** The form of the settings of a watch. */
export function ChangeWatch({ watch }: { watch: Watch }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const platforms = usePlatforms()
  const back = () => navigate(watchAddress(watch.watchId))
  const saving = useMutation({
    mutationFn: ({ topic: _stays, sources, ...settings }: WatchSettings) =>
      dataOf(
        api.PATCH('/api/v1/watches/{watchId}', {
          params: { path: { watchId: watch.watchId } },
          body: { ...settings, sources: sources ?? null },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: watchesKey(owner) })
      back()
    },
  })
  return (
    <Page title={texts.changeTitle(watch.name)} intro={texts.topicStays}>
      {platforms.data ? (
        <WatchForm platforms={platforms.data} initial={draftOfWatch(watch)} isNew={false} save={saving} cancel={back} />
      ) : platforms.error === null ? (
        <Loading />
      ) : (
        <Problem error={platforms.error} retry={platforms.refetch} />
      )}
    </Page>
  )
}
