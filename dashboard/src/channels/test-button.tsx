import { useMutation } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import type { Channel } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { useChannelsChanged } from './use-channels.ts'

/** Sends a test, and says what became of it. A disabled channel can be tested before it is enabled. */
export function TestButton({ channel }: { channel: Channel }) {
  const changed = useChannelsChanged()
  const test = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/channels/{channelId}/test', { params: { path: { channelId: channel.channelId } } })),
    onSettled: changed,
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
      {test.data && !test.isPending && (
        <p role="status" className={test.data.delivered ? 'test-outcome' : 'test-outcome fault'}>
          {test.data.delivered ? texts.testOutcome.delivered : texts.testOutcome.failed} <bdi>{test.data.error}</bdi>
        </p>
      )}
      {test.error !== null && <Problem error={test.error} retry={() => test.mutate()} />}
    </>
  )
}
