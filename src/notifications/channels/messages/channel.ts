import { accountLink } from '../../../http/addresses.ts'
import { isId } from '../../../http/ids.ts'
import { type DisabledReason, disabledReasons } from '../adapter.ts'
import type { Renderer } from './renderer.ts'
import { idIn } from './words.ts'

/** A channel that was disabled and still is. */
export const renderChannelDisabled: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const channelId = idIn(subject, 'channelId')
  if (channelId === null || !isId(channelId)) return null
  const channel = await executor
    .selectFrom('channels')
    .select(['name', 'type', 'disabled_reason'])
    .where('id', '=', channelId)
    .where('account_id', '=', accountId)
    .where('state', '=', 'disabled')
    .executeTakeFirst()
  if (!channel) return null
  return {
    title: `The channel ${channel.name} was disabled`,
    paragraphs: [
      disabledReasons[channel.disabled_reason as DisabledReason] ?? 'It could not be used any more.',
      'Nothing is sent on it until you enable it again. What it missed can be replayed from its log.',
    ],
    sections: [],
    link: { label: 'Open the account', url: accountLink(publicUrl) },
    data: { channelId, name: channel.name, type: channel.type, reason: channel.disabled_reason },
  }
}

export const renderTest: Renderer = async ({ event: { subject }, publicUrl }) => ({
  title: 'A test of Wishwell',
  paragraphs: ['This channel works: news and alerts will come here.'],
  sections: [],
  link: { label: 'Open Wishwell', url: `${publicUrl}/` },
  data: { channelId: idIn(subject, 'channelId') },
})
