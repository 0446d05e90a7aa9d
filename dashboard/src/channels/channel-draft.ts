import type { Channel, ChannelCadence, ChannelEvent, ChannelType, NewChannel, NewsKind } from '../api/types.ts'
import { isTimeZone, ownTimeZone } from '../shell/format.ts'

/** The events of the whole account that a channel may be told; news go where a watch sends them. */
export const accountEvents = [
  'scrape.completed',
  'scrape.failed',
  'wish.status_changed',
  'wish.rising',
  'credits.low',
  'watch.skipped_no_credits',
  'watch.asks',
] as const satisfies ChannelEvent[]

/** What the form of a channel holds. */
export interface ChannelDraft {
  type: ChannelType
  name: string
  /** The address, mail address or tag. */
  target: string
  /** Of ntfy. */
  topic: string
  token: string
  events: ChannelEvent[]
  mutedNews: NewsKind[]
  cadence: ChannelCadence
  hour: number
  timezone: string
}

export type ChannelFault = 'name' | 'target' | 'topic' | 'timezone'

export const newDraft = (type: ChannelType): ChannelDraft => ({
  type,
  name: '',
  target: type === 'ntfy' ? 'https://ntfy.sh' : '',
  topic: '',
  token: '',
  events: ['credits.low'],
  mutedNews: [],
  cadence: 'now',
  hour: 8,
  timezone: ownTimeZone(),
})

export const draftOfChannel = (channel: Channel): ChannelDraft => ({
  ...newDraft(channel.type),
  name: channel.name,
  events: channel.events as ChannelEvent[],
  mutedNews: channel.mutedNews,
  cadence: channel.cadence,
  hour: channel.hour,
  timezone: channel.timezone,
})

const patterns: Readonly<Record<ChannelType, RegExp>> = {
  webhook: /^https?:\/\/\S+$/i,
  slack: /^https?:\/\/\S+$/i,
  discord: /^https?:\/\/\S+$/i,
  ntfy: /^https?:\/\/\S+$/i,
  email: /^\S+@\S+$/,
  apprise: /^[A-Za-z0-9][-_A-Za-z0-9]{0,63}$/,
}

/** The first thing that must be mended; null when nothing must. The address of a channel that exists stays. */
export function faultOfChannel(draft: ChannelDraft, isNew: boolean): ChannelFault | null {
  if (draft.name.trim() === '') return 'name'
  if (isNew && !patterns[draft.type].test(draft.target.trim())) return 'target'
  if (isNew && draft.type === 'ntfy' && !/^[-_A-Za-z0-9]{1,64}$/.test(draft.topic.trim())) return 'topic'
  return isTimeZone(draft.timezone) ? null : 'timezone'
}

export const channelSettings = ({ name, events, mutedNews, cadence, hour, timezone }: ChannelDraft) => ({
  name: name.trim(),
  events,
  mutedNews,
  cadence,
  hour,
  timezone,
})

function ownFields({ type, target, topic, token }: ChannelDraft): Record<string, string> {
  const text = target.trim()
  if (type === 'email') return { address: text }
  if (type === 'apprise') return { tag: text }
  if (type === 'ntfy') {
    return { server: text, topic: topic.trim(), ...(token.trim() === '' ? {} : { token: token.trim() }) }
  }
  return { url: text }
}

export const newChannelOf = (draft: ChannelDraft): NewChannel => ({
  type: draft.type,
  ...channelSettings(draft),
  ...ownFields(draft),
})
