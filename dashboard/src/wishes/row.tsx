import type { WishTrend } from '../api/types.ts'
import { Correction } from '../search/correction.tsx'
import { highlightOf, Marked } from '../search/highlighted.tsx'
import { wishAddress } from '../shell/addresses.ts'
import { focusWhenThere } from '../shell/focus.ts'
import { agoBriefly, dateAndTime, number, platformCode, platformTitle } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { ownAsks } from '../texts/counts.ts'
import { wishTexts as texts } from '../texts/wishes.ts'
import type { Row } from './rows.ts'
import { Sparkline } from './sparkline.tsx'

interface RowProps {
  row: Row
  trend: WishTrend | undefined
  isOpen: boolean
  /** Opens the wish beside the list; without it the link leads to its page. */
  open: ((row: Row) => void) | null
}

/** One line: votes, title, status, trend, platforms, age, and the way to the source. */
export const WishRow = ({ row, trend, isOpen, open }: RowProps) => (
  <div className="wish-row" data-open={isOpen || undefined}>
    <span className="row-votes">
      <strong>{number(row.votes)}</strong>
      <span className="unseen"> {texts.votesUnit(row.votes)}</span>
    </span>
    <RowTitle row={row} isOpen={isOpen} open={open} trend={trend} />
    <RowState row={row} trend={trend} />
    <span className="row-trend">{trend && <Sparkline trend={trend} />}</span>
    <Platforms platforms={row.platforms} />
    <time className="row-age" dateTime={row.lastAskedAt} title={texts.lastAskedAt(dateAndTime(row.lastAskedAt))}>
      {agoBriefly(row.lastAskedAt)}
    </time>
    <SourceIcon row={row} />
  </div>
)

function RowTitle({ row, trend, isOpen, open }: RowProps) {
  const { request, title, wishId, requestCount, own } = row
  const shown = request.title === title ? <Marked text={title} highlight={highlightOf(request, 'title')} /> : title
  return (
    <span className="row-title">
      {trend?.mark?.starred && (
        <span className="row-star" role="img" aria-label={texts.starred}>
          ★
        </span>
      )}
      {wishId === null ? (
        <span data-row="" tabIndex={-1} title={title} dir="auto">
          {shown}
        </span>
      ) : (
        <Link
          data-row={wishId}
          href={wishAddress(wishId)}
          title={title}
          dir="auto"
          aria-current={isOpen ? 'true' : undefined}
          {...(open && { onClick: (event) => openBeside(event, () => open(row)) })}
        >
          {shown}
        </Link>
      )}
      {requestCount > 1 && <span className="row-count">{texts.requestsBriefly(requestCount)}</span>}
      {trend && trend.voices < requestCount && (
        <span className="row-count" title={texts.voicesAre}>
          {texts.voicesBriefly(trend.voices)}
        </span>
      )}
      {own && <span className="row-count">{ownAsks(own)}</span>}
    </span>
  )
}

/** A plain click or Enter, after which the focus follows to the wish; another click opens a tab. */
function openBeside(
  event: { detail: number; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; preventDefault(): void },
  open: () => void,
) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  open()
  if (event.detail === 0) focusWhenThere('panel-heading')
}

/** What the account decided is said before what the platform says. */
function RowState({ row: { status, request }, trend }: Pick<RowProps, 'row' | 'trend'>) {
  const mark = trend?.mark?.mark ?? null
  if (mark !== null) {
    return (
      <span className="row-state">
        <span className={`badge mark-${mark}`} title={texts.markedBy}>
          {texts.marks[mark]}
        </span>
      </span>
    )
  }
  if (request.likelihood !== 'likely') {
    // A text that is in no wish is shown here only: what was said of it is taken back here.
    if (request.corrected) {
      return (
        <span className="row-state">
          <Correction request={request} />
        </span>
      )
    }
    return (
      <span className="row-state">
        <span className="badge doubt">{texts.likelihood[request.likelihood]}</span>
      </span>
    )
  }
  return (
    <span className="row-state">
      {status !== null && status !== 'open' && (
        <span className={`badge status-${status}`}>{texts.statusOf(status)}</span>
      )}
    </span>
  )
}

const shownPlatforms = 3

const Platforms = ({ platforms }: { platforms: readonly string[] }) => (
  <span className="row-platforms" title={platforms.map(platformTitle).join(', ')}>
    <span className="unseen">{platforms.map(platformTitle).join(', ')}</span>
    <span aria-hidden="true">
      {platforms.slice(0, shownPlatforms).map((platform) => (
        <span key={platform} className={`platform-code platform-${platform}`}>
          {platformCode(platform)}
        </span>
      ))}
      {platforms.length > shownPlatforms && `+${platforms.length - shownPlatforms}`}
    </span>
  </span>
)

/** Leaves for the source. Only a web address becomes a link: it is text from outside. */
const SourceIcon = ({ row: { request } }: { row: Row }) =>
  /^https?:\/\//i.test(request.sourceUrl) ? (
    <a
      className="row-source"
      href={request.sourceUrl}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      title={texts.toSource(platformTitle(request.sourcePlatform))}
    >
      <span aria-hidden="true">↗</span>
      <span className="unseen">{texts.toSource(platformTitle(request.sourcePlatform))}</span>
    </a>
  ) : (
    <span className="row-source" />
  )
