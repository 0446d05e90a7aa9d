import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { Channel } from '../api/types.ts'
import { nameOfKind } from '../news/told-kinds.tsx'
import { watchAddress } from '../shell/addresses.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { focusHeading } from '../shell/focus.ts'
import { ago, dateAndTime } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { newsTexts } from '../texts/later/news.ts'
import { useWatches } from '../watches/use-watches.ts'
import { channelSettings, draftOfChannel } from './channel-draft.ts'
import { ChannelForm, hourText } from './channel-form.tsx'
import { Deliveries } from './deliveries.tsx'
import { SendAgain } from './send-again.tsx'
import { TestButton } from './test-button.tsx'
import { useChannelsChanged } from './use-channels.ts'

/** One channel: where it leads, how it stands, and what can be done with it. */
export function ChannelCard({ channel }: { channel: Channel }) {
  const [isChanging, setChanging] = useState(false)
  const close = () => {
    // The focused button goes with the form.
    focusHeading()
    setChanging(false)
  }
  return (
    <li className="card channel">
      <div className="section-head">
        <h3>
          <bdi>{channel.name}</bdi> <span className={`badge ${badgeOf(channel)}`}>{texts.state[channel.state]}</span>
        </h3>
        <Actions channel={channel} change={() => setChanging(!isChanging)} isChanging={isChanging} />
      </div>
      <Facts channel={channel} />
      <Trouble channel={channel} />
      {isChanging && <Change channel={channel} close={close} />}
      <Deliveries channel={channel} />
    </li>
  )
}

const badgeOf = ({ state }: Channel) => (state === 'active' ? 'done' : state === 'disabled' ? 'failed' : 'waiting')

function Facts({ channel }: { channel: Channel }) {
  const { cadence, hour, timezone, lastDeliveredAt, failingSince, mutedNews } = channel
  return (
    <>
      <p className="origin">
        <span>{texts.types[channel.type]}</span>
        <code dir="ltr">{channel.target}</code>
        <span>
          {cadence === 'now' ? texts.atOnce : texts.digest[cadence](hourText(hour))}
          {cadence !== 'now' && ` (${timezone})`}
        </span>
        {mutedNews.length > 0 && <span>{newsTexts.muted(mutedNews.map(nameOfKind).join(', '))}</span>}
        {lastDeliveredAt === null ? (
          <span>{texts.neverDelivered}</span>
        ) : (
          <time dateTime={lastDeliveredAt} title={dateAndTime(lastDeliveredAt)}>
            {texts.lastDelivered(ago(lastDeliveredAt))}
          </time>
        )}
        {failingSince !== null && <span className="warned">{texts.failingSince(ago(failingSince))}</span>}
      </p>
      <Told channel={channel} />
    </>
  )
}

/** What a channel is told: the news of the watches that name it, and events of the account. */
function Told({ channel: { channelId, events } }: { channel: Channel }) {
  const { data } = useWatches()
  const watches = data?.filter(({ channelIds }) => channelIds.includes(channelId)) ?? []
  return (
    <>
      <ul className="tags" aria-label={texts.tells}>
        {watches.map(({ watchId, name }) => (
          <li key={watchId}>
            <Link className="tag" href={watchAddress(watchId)}>
              {texts.newsOf} <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
        {events.map((event) => (
          <li key={event} className="tag">
            {texts.event[event as keyof typeof texts.event] ?? event}
          </li>
        ))}
      </ul>
      {data && watches.length === 0 && <p className="note">{texts.noWatch}</p>}
    </>
  )
}

interface ActionsProps {
  channel: Channel
  isChanging: boolean
  change: () => void
}

function Actions({ channel, isChanging, change }: ActionsProps) {
  const changed = useChannelsChanged()
  const removal = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/v1/channels/{channelId}', { params: { path: { channelId: channel.channelId } } })),
    onSettled: changed,
  })
  return (
    <div className="actions">
      {channel.state !== 'unconfirmed' && <TestButton channel={channel} />}
      <button type="button" aria-expanded={isChanging} aria-label={texts.changeLabel(channel.name)} onClick={change}>
        {texts.change}
      </button>
      <ConfirmButton
        label={texts.removeLabel(channel.name)}
        question={texts.removeQuestion}
        confirm={texts.removeConfirm}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
      >
        {texts.remove}
      </ConfirmButton>
      {removal.error !== null && <Problem error={removal.error} retry={() => removal.mutate()} />}
    </div>
  )
}

/** Why nothing is delivered, and what helps. */
function Trouble({ channel }: { channel: Channel }) {
  const { channelId } = channel
  const changed = useChannelsChanged()
  const enabling = useMutation({
    mutationFn: () =>
      dataOf(api.PATCH('/api/v1/channels/{channelId}', { params: { path: { channelId } }, body: { state: 'active' } })),
    onSettled: changed,
  })
  if (channel.waitsForKey) return <p className="note warned">{texts.waitsForKey}</p>
  if (channel.state === 'unconfirmed') {
    return (
      <div className="note">
        {texts.unconfirmed} <SendAgain channel={channel} />
      </div>
    )
  }
  if (channel.state !== 'disabled') return null
  const reason = texts.disabled[(channel.disabledReason ?? '') as keyof typeof texts.disabled] ?? texts.disabledOther
  return (
    <>
      <div className="session-ended">
        <p>{reason}</p>
        <p className="actions">
          <button type="button" disabled={enabling.isPending} onClick={() => enabling.mutate()}>
            {enabling.isPending ? texts.enabling : texts.enable}
          </button>
        </p>
      </div>
      {enabling.error !== null && <Problem error={enabling.error} retry={() => enabling.mutate()} />}
    </>
  )
}

function Change({ channel, close }: { channel: Channel; close: () => void }) {
  const path = { channelId: channel.channelId }
  const changed = useChannelsChanged()
  const saving = useMutation({
    mutationFn: (settings: ReturnType<typeof channelSettings>) =>
      dataOf(
        api.PATCH('/api/v1/channels/{channelId}', {
          params: { path },
          body: settings,
        }),
      ),
    onSuccess: () => {
      changed()
      close()
    },
  })
  return (
    <ChannelForm
      initial={draftOfChannel(channel)}
      isNew={false}
      submit={(draft) => saving.mutate(channelSettings(draft))}
      isPending={saving.isPending}
      error={saving.error}
      cancel={close}
    />
  )
}
