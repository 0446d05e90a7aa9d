import { lazy, useId, useState } from 'react'
import { isStatus } from '../api/client.ts'
import { useChannels } from '../channels/use-channels.ts'
import { ToldKinds } from '../news/told-kinds.tsx'
import { channelsAddress } from '../shell/addresses.ts'
import { Aside } from '../shell/aside.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { channelTexts } from '../texts/later/channels.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { termsOf } from './draft.ts'
import type { DraftFieldsProps } from './schedule-fields.tsx'
import { usePreview } from './use-preview.ts'

const MailDialog = lazy(() => import('./mail-dialog.tsx'))

/** What its news are, and who is told of them. */
export const ReportFields = (props: DraftFieldsProps) => (
  <>
    <Goal {...props} />
    <ToldKinds muted={props.draft.mutedNews} change={(mutedNews) => props.change({ mutedNews })} />
    <Channels {...props} />
  </>
)

function Goal({ draft, change }: DraftFieldsProps) {
  const id = useId()
  // The preview says what the service does; without a model nothing is compared with a goal, and only one that is there is shown.
  const isCompared = usePreview(termsOf(draft)).data?.comparesGoals
  if (isCompared !== true && draft.goal === '') return null
  const isIdle = isCompared === false
  return (
    <div className="field">
      <label htmlFor={id}>{texts.goal}</label>
      <textarea
        id={id}
        dir="auto"
        rows={2}
        maxLength={500}
        placeholder={texts.goalPlaceholder}
        value={draft.goal}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => change({ goal: target.value })}
      />
      <p id={`${id}-note`} className={isIdle ? 'note warned' : 'note'}>
        {isIdle ? texts.goalNotCompared : texts.goalNote}
      </p>
    </div>
  )
}

function Channels({ draft, change }: DraftFieldsProps) {
  const { data: answer, error, refetch } = useChannels()
  const data = answer?.results
  const toggle = (channelId: string) =>
    change({
      channels: draft.channels.includes(channelId)
        ? draft.channels.filter((one) => one !== channelId)
        : [...draft.channels, channelId],
    })
  return (
    <fieldset>
      <legend>{texts.channels}</legend>
      <p className="note">
        {texts.pageAlways} {data?.length === 0 && texts.noChannels}{' '}
        {data?.length === 0 && <Link href={channelsAddress}>{texts.toChannels}</Link>}
      </p>
      {!data &&
        (error === null ? (
          <Loading />
        ) : isStatus(error, 403) ? (
          <p className="note">{texts.channelsHidden}</p>
        ) : (
          <Problem error={error} retry={refetch} />
        ))}
      {data && data.length > 0 && (
        <div className="choices">
          {data.map(({ channelId, name, type, state }) => (
            <label key={channelId} className="choice">
              <input type="checkbox" checked={draft.channels.includes(channelId)} onChange={() => toggle(channelId)} />
              <span>
                <bdi>{name}</bdi> <span className="note">{channelTexts.types[type]}</span>{' '}
                {state !== 'active' && <span className="badge waiting">{channelTexts.state[state]}</span>}
              </span>
            </label>
          ))}
        </div>
      )}
      {answer?.types.some(({ type, unavailable }) => type === 'email' && unavailable === null) && (
        <AddMail onMade={(channelId) => change({ channels: [...draft.channels, channelId] })} />
      )}
      {draft.channels.length > 0 && (
        <label className="choice">
          <input
            type="checkbox"
            checked={draft.reportsQuiet}
            onChange={({ target }) => change({ reportsQuiet: target.checked })}
          />
          <span>{texts.quiet}</span>
        </label>
      )}
    </fieldset>
  )
}

/** A mail address that is told, too, without leaving the form. */
function AddMail({ onMade }: { onMade: (channelId: string) => void }) {
  const [state, setState] = useState<'closed' | 'open' | 'made'>('closed')
  return (
    <p className="note">
      <button type="button" className="as-link" onClick={() => setState('open')}>
        {texts.addMail}
      </button>{' '}
      <span role="status">{state === 'made' && `${channelTexts.confirmTitle} ${channelTexts.confirmAdvice}`}</span>
      {state === 'open' && (
        <Aside>
          <MailDialog
            close={() => setState((before) => (before === 'made' ? before : 'closed'))}
            onMade={(channelId) => {
              onMade(channelId)
              setState('made')
            }}
          />
        </Aside>
      )}
    </p>
  )
}
