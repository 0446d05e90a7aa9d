import { counted } from '../../../accounts/events/message.ts'
import { wishLink } from '../../../http/addresses.ts'
import { isId } from '../../../http/ids.ts'
import { titleOf } from '../../../platforms/registry.ts'
import { readRequests } from '../../../requests/record.ts'
import type { View } from '../../../requests/views/view.ts'
import { readWishIds } from '../../../requests/wishes/numbers.ts'
import type { Renderer } from './renderer.ts'
import { idIn, statusLabel, untitled } from './words.ts'

/** A request that got another status on its platform, as the account sees it; nothing where it does not see it any more. */
export const renderStatusChange: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const requestId = idIn(subject, 'requestId')
  if (requestId === null || !isId(requestId)) return null
  const view: View = { account: accountId, least: 2 }
  const [request] = await readRequests(executor, [requestId], { fullText: false, view })
  if (!request) return null
  const wishId = (await readWishIds(executor, [requestId], view)).get(requestId) ?? requestId
  const [status, previousStatus] = [idIn(subject, 'status'), idIn(subject, 'previousStatus')]
  const title = request.title.trim() === '' ? untitled : request.title
  const link = wishLink(publicUrl, wishId)
  const detail = `${counted(request.votes, 'vote')} · ${titleOf(request.sourcePlatform)}`
  return {
    title: `A request is ${statusLabel(status)} now`,
    paragraphs: previousStatus === null ? [] : [`Before, it was ${statusLabel(previousStatus)}.`],
    sections: [{ heading: 'Request', items: [{ title, url: link, detail }], more: 0 }],
    link: { label: 'Open the wish', url: link },
    data: {
      requestId,
      wishId,
      title,
      url: link,
      platform: request.sourcePlatform,
      votes: request.votes,
      status,
      previousStatus,
    },
  }
}
