import { type TProperties, type TSchema, Type } from 'typebox'
import type { Authentication } from '../../../accounts/authentication.ts'
import { eventTypes } from '../../../accounts/events/events.ts'
import { madeByFields } from '../../../accounts/made-by-key.ts'
import { newsKinds } from '../../../database/tables/watches.ts'
import type { Idempotent } from '../../../http/idempotency/idempotency.ts'
import { named } from '../../../http/openapi-components.ts'
import { pageOf } from '../../../http/pagination.ts'
import { closed, defaulted, moment, nullable, oneOf, openWord, trimmedText } from '../../../http/schemas.ts'
import { mutedNews } from '../../../watches/schemas.ts'
import { type Adapters, disabledReasons } from '../adapter.ts'
import type { ChannelsDependencies } from '../channels.ts'
import { delivery, keptDays } from '../store/deliveries.ts'

export interface ChannelRouteDependencies extends ChannelsDependencies {
  authentication: Authentication
  idempotent: Idempotent
}

export const channelTags = { tags: ['Channels'], security: [{ apiKey: [] }] }

export const channelTypes = ['webhook', 'email', 'slack', 'discord', 'ntfy', 'apprise'] as const

/** Events to subscribe to: all but tests, which always come, and news, which go to the channels a watch names. */
export const subscribableTypes = eventTypes.filter((type) => type !== 'channel.test' && type !== 'watch.news')

const name = trimmedText(1, 100, 'For people')
const events = Type.Array(oneOf(subscribableTypes), {
  uniqueItems: true,
  maxItems: subscribableTypes.length,
  description:
    'The types of events that it is told of. All that a watch tells, its news among it, goes to the channels that the watch names; a watch that names ' +
    'none tells `watch.asks` and `watch.skipped_no_credits` to the channels with that type. That another channel was disabled each channel is told',
})
const muted = mutedNews('Kinds of news of watches that it is not told')
const cadence = oneOf(['now', 'daily', 'weekly'], {
  description: '`now`: each event by itself; `daily` and `weekly` (Mondays): one digest at `hour`',
})
const timezone = Type.String({ maxLength: 64, description: 'Of the reader, such as `Europe/Berlin`; for digests' })
const hour = Type.Integer({ minimum: 0, maximum: 23, description: 'The local hour of digests' })

/** All fields of all types, each optional; the type decides which are required. */
function typeFields(adapters: Adapters): TProperties {
  const fields: Record<string, TSchema> = {}
  for (const [type, adapter] of adapters) {
    for (const [field, schema] of Object.entries(adapter.fields)) {
      const known = fields[field] as { description?: string; pattern?: string } | undefined
      const { description = '' } = schema as { description?: string }
      fields[field] = Type.Optional(
        Type.String({
          maxLength: 2_000,
          description: [known?.description, `\`${type}\`: ${description}.`].filter(Boolean).join(' '),
        }),
      )
    }
  }
  return fields
}

export const newChannel = (adapters: Adapters) =>
  closed({
    type: oneOf(channelTypes, { description: 'It decides which of the fields below are needed' }),
    name,
    events: defaulted({ ...events, default: [] } as typeof events),
    mutedNews: Type.Optional(muted),
    cadence: defaulted({ ...cadence, default: 'now' } as typeof cadence),
    timezone: defaulted({ ...timezone, default: 'UTC' } as typeof timezone),
    hour: defaulted({ ...hour, default: 8 } as typeof hour),
    ...(typeFields(adapters) as Record<never, never>),
  })

export const channelChanges = closed(
  {
    name: Type.Optional(name),
    events: Type.Optional(events),
    mutedNews: Type.Optional(muted),
    cadence: Type.Optional(cadence),
    timezone: Type.Optional(timezone),
    hour: Type.Optional(hour),
    state: Type.Optional(
      Type.Literal('active', {
        description:
          'Has a disabled one deliver again: it begins with what happens from now on; what it missed can be replayed. A mail address that unsubscribed or ' +
          'bounced must be confirmed again',
      }),
    ),
  },
  { minProperties: 1 },
)

export const channel = closed(
  {
    channelId: Type.String(),
    type: openWord(channelTypes, 'Its kind'),
    name: Type.String(),
    target: Type.String({
      description: 'Where it leads: a host and last characters. Addresses and tokens are never shown',
    }),
    events: Type.Array(Type.String()),
    mutedNews: Type.Array(openWord(newsKinds, 'A kind of news of watches that it is not told')),
    cadence: oneOf(['now', 'daily', 'weekly']),
    timezone: Type.String(),
    hour: Type.Integer(),
    state: oneOf(['active', 'unconfirmed', 'disabled'], {
      description: '`unconfirmed`: gets nothing until its owner confirms the address',
    }),
    disabledReason: nullable(
      openWord(
        Object.keys(disabledReasons),
        Object.entries(disabledReasons)
          .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
          .join(' '),
      ),
    ),
    createdAt: moment('When it was made'),
    ...madeByFields,
    lastDeliveredAt: nullable(moment('When something was last delivered')),
    failingSince: nullable(moment('Since when every attempt failed; null while they succeed')),
    pending: Type.Integer({ description: 'How many deliveries wait' }),
    waitsForKey: Type.Boolean({
      description:
        'True: its address is sealed with a key that this service does not have, such as after a restore without `secrets-key`. Nothing is delivered until the operator brings it back',
    }),
  },
  named('Channel'),
)

export const channelAnswer = channel
const offeredType = closed({
  type: openWord(channelTypes, 'Its kind'),
  unavailable: nullable(Type.String({ description: 'Why no channel of the type can be made here; null if one can' })),
})
export const channelList = closed({
  ...pageOf(channel).properties,
  types: Type.Array(offeredType, { description: 'The types of channels of this service' }),
})
export const madeChannel = closed({
  ...channel.properties,
  secret: Type.Optional(
    Type.String({ description: 'Of a webhook: what its signatures are checked with. Shown this once' }),
  ),
})
export const channelPath = closed({ channelId: Type.String() })
export const deliveryPath = closed({ channelId: Type.String(), deliveryId: Type.String() })
export const channelIdAnswer = closed({ channelId: Type.String() })
export const askedAgain = closed({
  channelId: Type.String(),
  confirmationAt: moment('When it is sent, or later where a limit holds it'),
})
export const deliveryIdAnswer = closed({ deliveryId: Type.String() })

export const deliveryList = closed(
  { data: pageOf(delivery) },
  { description: `Kept for ${keptDays} days. No texts of messages are kept.` },
)
export const testAnswer = closed({
  delivered: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'The HTTP or SMTP status' })),
  error: nullable(Type.String()),
  eventId: Type.String({ description: 'The id that the receiver got' }),
})
