import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, once, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'
import { shellTexts } from '../texts/shell.ts'
import { KeyTable } from './key-table.tsx'
import { NewKeyForm } from './new-key.tsx'

/** The API keys of the account: creates, lists and revokes them. */
export function Keys() {
  const owner = useOwner()
  const queries = useQueryClient()
  const keys = useQuery({
    queryKey: [owner, 'keys'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/keys', { params: { query }, signal }))).results,
  })
  // What it made may have ended with a key.
  const refresh = () => void queries.invalidateQueries({ queryKey: [owner] })
  const revoke = useMutation({
    mutationFn: ({ keyId, withMade }: { keyId: string; withMade: boolean }) =>
      dataOf(api.DELETE('/api/v1/keys/{keyId}', { params: { path: { keyId }, query: { withMade } } })),
    onSettled: refresh,
  })
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{texts.keys}</h2>
      <p className="note">
        {texts.keysIntro} <a href="/docs">{shellTexts.documentation}</a>
      </p>
      <NewKeyForm
        make={(body, key) => dataOf(api.POST('/api/v1/keys', { body, params: once(key) }))}
        onMade={refresh}
        scope="read"
      />
      {keys.data ? (
        <KeyTable
          keys={keys.data}
          busy={revoke.isPending ? revoke.variables.keyId : null}
          onRevoke={(keyId, withMade) => revoke.mutate({ keyId, withMade })}
          readMade={(keyId, signal) =>
            dataOf(api.GET('/api/v1/keys/{keyId}/made', { params: { path: { keyId } }, signal }))
          }
        />
      ) : keys.error === null ? (
        <Loading />
      ) : (
        <Problem error={keys.error} retry={keys.refetch} />
      )}
      {revoke.error !== null && <Problem error={revoke.error} />}
    </section>
  )
}
