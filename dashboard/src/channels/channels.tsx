import { lazy, useState } from 'react'
import type { ChannelType, MadeChannel, OfferedType } from '../api/types.ts'
import { FeedList } from '../feeds/feed-list.tsx'
import { Aside } from '../shell/aside.tsx'
import { focusHeading } from '../shell/focus.ts'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { ChannelCard } from './channel-card.tsx'
import { MadeNotice, NewChannelForm } from './new-channel.tsx'
import { useChannels } from './use-channels.ts'

const Trackers = lazy(() => import('../pushes/trackers.tsx'))

/** Where the account hears of news: its channels and its feeds. */
export function ChannelsPage() {
  const { data, error, refetch } = useChannels()
  const [type, setType] = useState<ChannelType | null>(null)
  const [made, setMade] = useState<{ type: ChannelType; channel: MadeChannel } | null>(null)
  const close = () => {
    setType(null)
    focusHeading()
  }
  return (
    <Page title={texts.title} intro={texts.intro}>
      {made && <MadeNotice type={made.type} channel={made.channel} onClose={() => setMade(null)} />}
      <TypeChoice
        offered={data?.types ?? []}
        present={type}
        choose={(next) => {
          setMade(null)
          setType(next)
        }}
      />
      {type !== null && (
        <NewChannelForm
          key={type}
          type={type}
          cancel={close}
          onMade={(channel) => {
            setMade({ type, channel })
            setType(null)
          }}
        />
      )}
      <section aria-labelledby="channels">
        <h2 id="channels">{texts.list}</h2>
        {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
        {data?.results.length === 0 && <Empty title={texts.none}>{<p className="note">{texts.noneAdvice}</p>}</Empty>}
        {data && data.results.length > 0 && (
          <ul className="channel-list">
            {data.results.map((channel) => (
              <ChannelCard key={channel.channelId} channel={channel} />
            ))}
          </ul>
        )}
      </section>
      <FeedList />
      <Aside>
        <Trackers />
      </Aside>
    </Page>
  )
}

interface TypeChoiceProps {
  offered: OfferedType[]
  present: ChannelType | null
  choose: (type: ChannelType | null) => void
}

/** The types of channels; one of them opens its form. */
const TypeChoice = ({ offered, present, choose }: TypeChoiceProps) => (
  <section aria-labelledby="add-channel" className="add-channel">
    <h2 id="add-channel">{texts.add}</h2>
    <div className="channel-types">
      {offered.map(({ type, unavailable }) => (
        <button
          key={type}
          type="button"
          disabled={unavailable !== null}
          aria-expanded={present === type}
          onClick={() => choose(present === type ? null : type)}
        >
          <strong>{texts.types[type]}</strong>
          <span className="note">{unavailable === null ? texts.typeNotes[type] : texts.unavailable}</span>
        </button>
      ))}
    </div>
  </section>
)
