import { type FormEvent, useState } from 'react'
import type { WishDetail } from '../api/types.ts'
import { ShareButton } from '../shares/share-button.tsx'
import { wishAddress } from '../shell/addresses.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { type IssueTracker, issueTrackers } from './issue-trackers.ts'
import { issueAddress, toMarkdown } from './markdown.ts'

/** What one takes to other tools: a text, an issue, a link, paper. */
export const TakeAlong = ({ wish }: { wish: WishDetail }) => (
  <div className="actions take-along">
    <CopyButton text={toMarkdown(wish)} label={texts.copyMarkdown} />
    <ShareButton target={{ wishId: wish.wishId }} />
    <OpenIssue wish={wish} />
    <CopyButton text={location.origin + wishAddress(wish.wishId)} label={texts.copyLink} />
    <button type="button" onClick={() => window.print()}>
      {texts.print}
    </button>
  </div>
)

const remembered = 'wishwell.issue-tracker'

function readRemembered(): { tracker: IssueTracker; project: string } {
  try {
    const { tracker, project } = JSON.parse(localStorage.getItem(remembered) ?? '{}')
    if (issueTrackers.includes(tracker) && typeof project === 'string') return { tracker, project }
  } catch {
    // It is only a convenience.
  }
  return { tracker: 'github', project: '' }
}

/** Opens the form of a new issue, filled in: no account of the tracker is needed here. The last project is remembered by this browser. */
function OpenIssue({ wish }: { wish: WishDetail }) {
  const [{ tracker, project }, setTarget] = useState(readRemembered)
  const address = issueAddress(tracker, project, wish)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (address === null) return
    localStorage.setItem(remembered, JSON.stringify({ tracker, project }))
    window.open(address, '_blank', 'noopener,noreferrer')
  }
  return (
    <details className="menu">
      <summary>{texts.openIssue}</summary>
      <form className="menu-body" onSubmit={submit}>
        <label>
          <span>{texts.tracker}</span>
          <select
            value={tracker}
            onChange={({ target }) => setTarget({ tracker: target.value as IssueTracker, project })}
          >
            {issueTrackers.map((name) => (
              <option key={name} value={name}>
                {texts.trackers[name]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{texts.projectOf[tracker]}</span>
          <input
            value={project}
            placeholder={texts.projectExample[tracker]}
            onChange={({ target }) => setTarget({ tracker, project: target.value })}
          />
        </label>
        <button type="submit" className="primary" disabled={address === null}>
          {texts.openIssueAt[tracker]}
        </button>
      </form>
    </details>
  )
}
