import { useMutation, useQuery } from '@tanstack/react-query'
import { listDeliveries, testChannel } from '../api/channel-calls.ts'
import type { Channel } from '../api/channel-types.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/channels.ts'
import { useChannelsChanged } from './use-channels.ts'

/** The time between two looks at a test under way, and how often it is looked at before the log has to tell. */
const followMs = 1_000
const maxLooks = 20

/** Sends a test, and says what became of it. */
export function TestButton({ channel }: { channel: Channel }) {
  const changed = useChannelsChanged()
  const { keyFor, done } = useIntention()
  const test = useMutation({
    mutationFn: () => testChannel(channel.channelId, keyFor(channel.channelId)),
    onSuccess: () => {
      done()
      changed()
    },
  })
  return (
    <>
      <button
        type="button"
        aria-label={texts.testLabel(channel.name)}
        disabled={test.isPending}
        onClick={() => test.mutate()}
      >
        {test.isPending ? texts.testing : texts.test}
      </button>
      {test.data && <Outcome key={test.data.deliveryId} channel={channel} deliveryId={test.data.deliveryId} />}
      {test.error !== null && <Problem error={test.error} retry={() => test.mutate()} />}
    </>
  )
}

function Outcome({ channel: { channelId }, deliveryId }: { channel: Channel; deliveryId: string }) {
  const owner = useOwner()
  const { data } = useQuery({
    queryKey: [owner, 'channels', 'test', deliveryId],
    queryFn: async ({ signal }) => {
      const { deliveries } = await listDeliveries(channelId, undefined, { signal })
      return deliveries.find((delivery) => delivery.deliveryId === deliveryId) ?? null
    },
    // A first attempt that failed is tried again for days: its outcome is known.
    refetchInterval: ({ state: { data: seen, dataUpdateCount } }) =>
      (seen?.state ?? 'pending') === 'pending' && (seen?.attempts ?? 0) === 0 && dataUpdateCount < maxLooks
        ? followMs
        : false,
    gcTime: 0,
  })
  const state = data?.state ?? 'pending'
  const hasFailed = state === 'failed' || (state === 'pending' && (data?.attempts ?? 0) > 0)
  return (
    <p role="status" className={hasFailed ? 'fault test-outcome' : 'test-outcome'}>
      {hasFailed ? texts.testOutcome.failed : texts.testOutcome[state]} {hasFailed && <bdi>{data?.error}</bdi>}
    </p>
  )
}
