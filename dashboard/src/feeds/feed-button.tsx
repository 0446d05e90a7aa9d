import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { FeedTarget, MadeFeed } from '../api/types.ts'
import { feedsAddress } from '../shell/addresses.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { feedTexts as texts } from '../texts/feeds.ts'

/** Makes the address of a feed, on demand. It is shown once, until the page is left. */
export function FeedButton({ target }: { target: FeedTarget }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const details = useRef<HTMLDetailsElement>(null)
  const { keyFor, done } = useIntention()
  const making = useMutation({
    // The address is a secret: it must not stay in the cache.
    gcTime: 0,
    mutationFn: (wanted: FeedTarget) =>
      dataOf(api.POST('/api/v1/feeds', { body: wanted, params: once(keyFor(wanted)) })),
    onSuccess: () => {
      done()
      void queries.invalidateQueries({ queryKey: [owner, 'feeds'] })
    },
  })
  return (
    <details
      ref={details}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        details.current.open = false
        details.current.querySelector('summary')?.focus()
      }}
    >
      <summary>{texts.feed}</summary>
      <div className="menu-body feed">
        {making.data ? (
          <Address feed={making.data} />
        ) : (
          <>
            <p>{texts.intro[target.kind]}</p>
            <p className="note">{texts.secrecy}</p>
            <button type="button" className="primary" disabled={making.isPending} onClick={() => making.mutate(target)}>
              {making.isPending ? texts.making : texts.make}
            </button>
          </>
        )}
        {making.error !== null && <Problem error={making.error} retry={() => making.mutate(target)} />}
        <Link href={feedsAddress}>{texts.manage}</Link>
      </div>
    </details>
  )
}

function Address({ feed: { url, jsonUrl } }: { feed: MadeFeed }) {
  return (
    <div className="feed-address" role="status">
      <p>
        <strong>{texts.made}</strong> {texts.madeAdvice}
      </p>
      <code dir="ltr">{url}</code>
      <div className="actions">
        <CopyButton text={url} label={texts.copyAtom} />
        <CopyButton text={jsonUrl} label={texts.copyJson} />
      </div>
    </div>
  )
}
