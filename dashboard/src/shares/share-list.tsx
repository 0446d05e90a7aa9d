import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { shareTexts as texts } from '../texts/later/shares.ts'
import { ShareLine } from './share-line.tsx'
import { useShares } from './shares.ts'
import { useRevocation } from './use-shares.ts'

/** Every page that is shared, to be revoked. */
export function SharesPage() {
  const { data, error, refetch } = useShares()
  const revocation = useRevocation()
  return (
    <Page title={texts.list} intro={texts.listIntro}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      {data && data.length > 0 && (
        <ul className="shares">
          {data.map((share) => (
            <ShareLine key={share.shareId} share={share} revocation={revocation} />
          ))}
        </ul>
      )}
      {revocation.error !== null && <Problem error={revocation.error} />}
    </Page>
  )
}
