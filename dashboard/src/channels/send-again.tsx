import { useMutation } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import type { Channel } from '../api/types.ts'
import { inHowLong } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'

/** Has an address asked again that has not confirmed yet, and says when. */
export function SendAgain({ channel: { channelId, name } }: { channel: Pick<Channel, 'channelId' | 'name'> }) {
  const again = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/channels/{channelId}/confirmation', { params: { path: { channelId } } })),
  })
  return (
    <>
      <button
        type="button"
        className="small"
        aria-label={texts.confirmAgainLabel(name)}
        disabled={again.isPending}
        onClick={() => again.mutate()}
      >
        {texts.confirmAgain}
      </button>
      <span role="status" className="note">
        {again.data && ` ${texts.confirmedAgain(inHowLong(again.data.confirmationAt))}`}
      </span>
      {again.error !== null && <Problem error={again.error} retry={() => again.mutate()} />}
    </>
  )
}
