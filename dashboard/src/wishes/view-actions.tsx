import { BriefButton } from '../briefs/brief-button.tsx'
import { FeedButton } from '../feeds/feed-button.tsx'
import { ExportMenu } from '../search/export-menu.tsx'
import { addressOf, briefOf, feedOf, isTopic, shareOf, topicLength, type View } from '../search/view.ts'
import { ShareButton } from '../shares/share-button.tsx'
import { newWatch } from '../shell/addresses.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts } from '../texts/search.ts'
import { watchTexts } from '../texts/watches.ts'

/** What one does with a whole view: watch it, follow it in a feed reader, take it along. */
export function ViewActions({ view, hasRows }: { view: View; hasRows: boolean }) {
  const topic = [...(view.query === '' ? view.topic : view.query)].slice(0, topicLength.max).join('')
  const shared = shareOf(view)
  return (
    <>
      {isTopic(topic) && (
        <Link
          className="button"
          href={newWatch({ topic, ...(view.platforms.length > 0 && { platforms: view.platforms }) })}
        >
          {watchTexts.watchThis}
        </Link>
      )}
      {view.query !== '' && <FeedButton key={addressOf(view)} target={feedOf(view)} />}
      {shared && <BriefButton target={briefOf(shared)} />}
      {shared && <ShareButton key={`share ${addressOf(view)}`} target={shared} isReady={hasRows} />}
      {view.mark === null && !view.isStarred && <ExportMenu view={view} />}
      <CopyButton text={location.origin + addressOf(view)} label={searchTexts.copyLink} />
    </>
  )
}
