import type { Outbound } from '../../../http/outbound/outbound.ts'
import type { Adapters, ChannelAdapter } from '../adapter.ts'
import type { AppriseConfig } from '../settings.ts'
import { createAppriseAdapter } from './apprise.ts'
import { createDiscordAdapter } from './discord.ts'
import { createNtfyAdapter } from './ntfy.ts'
import { createSlackAdapter } from './slack.ts'
import { createWebhookAdapter } from './webhook.ts'

export interface AdaptersInput {
  outbound: Outbound
  operatorOutbound: Outbound
  apprise: AppriseConfig | null
  /** Types made by other rooms, such as mail. */
  others?: readonly ChannelAdapter[]
}

/** Creates every type of channel. */
export function createAdapters({ outbound, operatorOutbound, apprise, others = [] }: AdaptersInput): Adapters {
  const all: ChannelAdapter[] = [
    createWebhookAdapter(outbound),
    ...others,
    createSlackAdapter(outbound),
    createDiscordAdapter(outbound),
    createNtfyAdapter(outbound),
    createAppriseAdapter(operatorOutbound, apprise),
  ]
  return new Map(all.map((adapter) => [adapter.type, adapter]))
}
