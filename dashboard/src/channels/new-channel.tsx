import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { SecretOnce } from '../account/secret-once.tsx'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import type { ChannelType, MadeChannel } from '../api/types.ts'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { shellTexts } from '../texts/shell.ts'
import { type ChannelDraft, newChannelOf, newDraft } from './channel-draft.ts'
import { ChannelForm } from './channel-form.tsx'
import { useChannelsChanged } from './use-channels.ts'

interface NewChannelFormProps {
  type: ChannelType
  /** Asks for the address alone, which is its name, too; it is told what a watch tells it. */
  isBrief?: boolean
  cancel: () => void
  onMade: (channel: MadeChannel) => void
}

/** The form of a new channel. A second click, or a try after a lost answer, adds no second one. */
export function NewChannelForm({ type, isBrief = false, cancel, onMade }: NewChannelFormProps) {
  const changed = useChannelsChanged()
  const { keyFor, done } = useIntention()
  const making = useMutation({
    // The answer may have a secret: it must not stay in the cache.
    gcTime: 0,
    mutationFn: (draft: ChannelDraft) =>
      dataOf(api.POST('/api/v1/channels', { body: newChannelOf(draft), params: once(keyFor(draft)) })),
    onSuccess: () => {
      done()
      changed()
    },
  })
  return (
    <ChannelForm
      initial={{ ...newDraft(type), ...(isBrief && { events: [] }) }}
      isNew={true}
      isBrief={isBrief}
      // Told here, it is told once: the answer to a second click must not show the secret again.
      submit={(draft) => making.mutate(draft, { onSuccess: onMade })}
      isPending={making.isPending}
      error={making.error}
      cancel={cancel}
    />
  )
}

interface MadeNoticeProps {
  type: ChannelType
  channel: MadeChannel
  onClose: () => void
}

/** What follows from a channel that was added: its secret, the confirmation, a test. */
export function MadeNotice({ type, channel, onClose }: MadeNoticeProps) {
  if (channel.secret !== undefined) {
    return (
      <SecretOnce title={texts.secretTitle} advice={texts.secretAdvice} secret={channel.secret} onClose={onClose}>
        <p className="note">{texts.verifyExample}</p>
        <pre className="example">
          <code>{texts.verifyCode}</code>
        </pre>
      </SecretOnce>
    )
  }
  const isUnconfirmed = type === 'email'
  return (
    <Notice
      title={isUnconfirmed ? texts.confirmTitle : texts.added}
      advice={isUnconfirmed ? texts.confirmAdvice : texts.addedAdvice}
      onClose={onClose}
    />
  )
}

interface NoticeProps {
  title: string
  advice: string
  onClose: () => void
}

/** It takes the focus, because the form that had it is gone. */
function Notice({ title, advice, onClose }: NoticeProps) {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => text.current?.focus(), [])
  return (
    <section className="secret" aria-label={title}>
      <p ref={text} tabIndex={-1}>
        <strong>{title}</strong> {advice}
      </p>
      <div className="actions">
        <button type="button" className="quiet" onClick={onClose}>
          {shellTexts.close}
        </button>
      </div>
    </section>
  )
}
