import type { Authentication } from '../../../accounts/authentication.ts'
import type { Idempotent } from '../../../http/idempotency/idempotency.ts'
import type { ChannelsDependencies } from '../channels.ts'

export interface ChannelRouteDependencies extends ChannelsDependencies {
  authentication: Authentication
  idempotent: Idempotent
}

export const channelTags = { tags: ['Channels'], security: [{ apiKey: [] }] }
