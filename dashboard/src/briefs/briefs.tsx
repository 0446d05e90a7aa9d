import type { BriefSummary, NewBrief } from '../api/types.ts'
import { briefAddress, wishesAddress } from '../shell/addresses.ts'
import { dateAndTime } from '../shell/format.ts'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'
import { useWatches } from '../watches/use-watches.ts'
import { DeleteBrief } from './delete-brief.tsx'
import { useBriefs } from './use-briefs.ts'
import { VerifyFile } from './verify-file.tsx'

/** Every brief of the account, and a place to verify a file. */
export function BriefsPage() {
  const { data, error, refetch } = useBriefs()
  return (
    <Page title={texts.title} intro={texts.listIntro}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && (
        <Empty title={texts.none}>
          <p>{texts.noneAdvice}</p>
          <Link className="button primary" href={wishesAddress}>
            {texts.toWishes}
          </Link>
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="shares">
          {data.map((brief) => (
            <Line key={brief.briefId} brief={brief} />
          ))}
        </ul>
      )}
      <VerifyFile />
    </Page>
  )
}

function Line({ brief: { briefId, request, createdAt, removed } }: { brief: BriefSummary }) {
  const { topic, query, watchId, question, filters = {} } = request as NewBrief
  const { data: watches = [] } = useWatches()
  const watch = watches.find((one) => one.watchId === watchId)
  const name = query ?? topic ?? filters.topic ?? watch?.name ?? texts.list
  const narrowed = Object.keys(filters).length > 0 && (query ?? topic) !== undefined
  return (
    <li>
      <p>
        <Link href={briefAddress(briefId)} dir="auto">
          {name}
        </Link>
      </p>
      {question !== undefined && <p dir="auto">{question}</p>}
      <p className="note">
        {[
          texts.madeAt(dateAndTime(createdAt)),
          ...(narrowed ? [texts.narrowed] : []),
          ...(removed === 0 ? [] : [texts.removed(removed)]),
        ].join(' · ')}
      </p>
      <DeleteBrief briefId={briefId} name={name} />
    </li>
  )
}
