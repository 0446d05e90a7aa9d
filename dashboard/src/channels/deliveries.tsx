import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Channel, Delivery } from '../api/types.ts'
import { dateAndTime, inHowLong } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { useChannelsChanged } from './use-channels.ts'

/** What was sent on a channel and what became of it, read when it is opened. */
export function Deliveries({ channel }: { channel: Channel }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="deliveries" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.deliveries}</summary>
      {isOpen && <Log channel={channel} />}
    </details>
  )
}

function Log({ channel }: { channel: Channel }) {
  const owner = useOwner()
  const query = useInfiniteQuery({
    queryKey: [owner, 'channels', 'deliveries', channel.channelId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/channels/{channelId}/deliveries', {
          params: { path: { channelId: channel.channelId }, query: pageAt(pageParam) },
          signal,
        }),
      ),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
  })
  const deliveries = query.data?.pages.flatMap((page) => page.results)
  if (deliveries === undefined) {
    return query.error === null ? <Loading /> : <Problem error={query.error} retry={query.refetch} />
  }
  if (deliveries.length === 0) return <p className="note">{texts.noDeliveries}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard */}
      <section className="table-frame" tabIndex={0} aria-label={texts.deliveriesOf(channel.name)}>
        <table>
          <caption className="unseen">{texts.deliveries}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.deliveryWhen}</th>
              <th scope="col">{texts.deliveryWhat}</th>
              <th scope="col">{texts.deliveryState}</th>
              <th scope="col">
                <span className="unseen">{texts.replay}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.deliveryId} delivery={delivery} channel={channel} />
            ))}
          </tbody>
        </table>
      </section>
      <MoreButton query={query} />
    </>
  )
}

const badges = { pending: 'waiting', delivered: 'done', failed: 'failed', nothing_left: '' } as const

function DeliveryRow({ delivery, channel }: { delivery: Delivery; channel: Channel }) {
  const { type, state, status, error, attempts, dueAt, createdAt } = delivery
  const what = texts.event[type as keyof typeof texts.event] ?? type
  return (
    <tr>
      <td>{dateAndTime(createdAt)}</td>
      <td>{what}</td>
      <td>
        <span className={`badge ${badges[state]}`}>{texts.delivered[state]}</span>
        <span className="origin">
          {status !== null && <span>{texts.statusCode(status)}</span>}
          {attempts > 1 && <span>{texts.attempts(attempts)}</span>}
          {state === 'pending' && attempts > 0 && dueAt !== null && <span>{texts.tryAgainAt(inHowLong(dueAt))}</span>}
        </span>
        {error !== null && state !== 'delivered' && (
          <p className="note">
            <bdi>{error}</bdi>
          </p>
        )}
      </td>
      <td>
        {state !== 'pending' && channel.state === 'active' && (
          <Replay
            channelId={channel.channelId}
            delivery={delivery}
            label={texts.replayLabel(what, dateAndTime(createdAt))}
          />
        )}
      </td>
    </tr>
  )
}

interface ReplayProps {
  channelId: string
  delivery: Delivery
  label: string
}

/** A delivery that is under way again is refused a second time, so a second click sends nothing. */
function Replay({ channelId, delivery, label }: ReplayProps) {
  const changed = useChannelsChanged()
  const replay = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v1/channels/{channelId}/deliveries/{deliveryId}/replay', {
          params: { path: { channelId, deliveryId: delivery.deliveryId } },
        }),
      ),
    onSettled: changed,
  })
  return (
    <>
      <button
        type="button"
        className="small"
        aria-label={label}
        disabled={replay.isPending || replay.isSuccess}
        onClick={() => replay.mutate()}
      >
        {replay.isPending ? texts.replaying : texts.replay}
      </button>
      {replay.error !== null && <Problem error={replay.error} />}
    </>
  )
}
