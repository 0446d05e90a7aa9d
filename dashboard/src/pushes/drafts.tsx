import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { platformTitle } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { pushTexts as texts } from '../texts/later/pushes.ts'

/** A text for each place where somebody asked, which a person copies and sends. */
export function Drafts({ pushId }: { pushId: string }) {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'trackers', 'push', pushId],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/pushes/{pushId}', { params: { path: { pushId } }, signal })),
  })
  if (data === undefined) return error === null ? <Loading /> : <Problem error={error} retry={refetch} />
  if (data.drafts.length === 0) return <p className="note">{texts.noDrafts}</p>
  return (
    <>
      <p className="note">{texts.draftsNote}</p>
      <ul className="drafts">
        {data.drafts.map(({ requestId, platform, sourceUrl, text }) => (
          <li key={requestId}>
            <a href={sourceUrl} target="_blank" rel="noopener noreferrer">
              {texts.place(platformTitle(platform))}
            </a>
            <p dir="ltr">{text}</p>
            <CopyButton text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}
