import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { WatchSettings } from '../api/types.ts'
import { watchAddress, watchesAddress } from '../shell/addresses.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate, useAddress } from '../shell/router.tsx'
import { usePlatforms } from '../shell/use-platforms.ts'
import { watchTexts as texts } from '../texts/watches.ts'
import { draftOfAddress } from './draft.ts'
import { watchesKey } from './use-watches.ts'
import { WatchForm } from './watch-form.tsx'

/** The form of a new watch. A link may fill it in. */
export function NewWatchPage() {
  const { search } = useAddress()
  const platforms = usePlatforms()
  const making = useMaking()
  return (
    <Page title={texts.newTitle} intro={texts.newIntro}>
      <p className="crumb">
        <Link href={watchesAddress}>{texts.all}</Link>
      </p>
      {platforms.data ? (
        <WatchForm
          key={search}
          platforms={platforms.data}
          initial={draftOfAddress(platforms.data, new URLSearchParams(search))}
          isNew={true}
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
function useMaking() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMutation({
    mutationFn: (settings: WatchSettings) =>
      dataOf(api.POST('/api/v1/watches', { body: settings, params: once(keyFor(settings)) })),
    onSuccess: ({ watchId }) => {
      done()
      void queries.invalidateQueries({ queryKey: [...watchesKey(owner), 'list'] })
      navigate(watchAddress(watchId))
    },
  })
}
