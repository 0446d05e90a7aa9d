import type { ShareTarget } from '../api/types.ts'
import { date } from '../shell/format.ts'
import { listActionTexts } from '../texts/list-actions.ts'
import { sharedTexts as texts } from '../texts/views.ts'
import { useSharesOf } from './use-shares.ts'

/** What the button that shares says: until when it is shared already. */
export default function SharedLabel({ target }: { target: ShareTarget }) {
  const [last] = useSharesOf(target)
  return <>{last ? texts.sharedUntil(date(last.expiresAt)) : listActionTexts.share}</>
}
