import { type ComponentProps, useId } from 'react'
import { channelTexts as texts } from '../texts/later/channels.ts'
import type { ChannelDraft, ChannelFault } from './channel-draft.ts'

export interface ChannelFieldProps {
  draft: ChannelDraft
  change: (part: Partial<ChannelDraft>) => void
  fault: ChannelFault | null
}

/** Where the messages of a channel go, by its type. */
export function TargetFields({ draft, change, fault, refusal }: ChannelFieldProps & { refusal: string | null }) {
  const { type } = draft
  const target = {
    value: draft.target,
    fault: fault === 'target' ? texts.targetFault[type] : refusal,
    onChange: (text: string) => change({ target: text }),
  }
  if (type === 'email') return <TextField {...target} label={texts.mail} type="email" autoComplete="email" />
  if (type === 'apprise') return <TextField {...target} label={texts.tag} maxLength={64} />
  if (type !== 'ntfy') {
    return <TextField {...target} label={texts.address[type]} type="url" placeholder={texts.addressPlaceholder[type]} />
  }
  return (
    <div className="form-row">
      <TextField {...target} label={texts.address.ntfy} type="url" placeholder={texts.addressPlaceholder.ntfy} />
      <TextField
        label={texts.topic}
        value={draft.topic}
        maxLength={64}
        fault={fault === 'topic' ? texts.topicFault : null}
        onChange={(topic) => change({ topic })}
      />
      <TextField
        label={texts.token}
        type="password"
        autoComplete="off"
        value={draft.token}
        maxLength={200}
        fault={null}
        onChange={(token) => change({ token })}
      />
    </div>
  )
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: string
  fault: string | null
  onChange: (text: string) => void
}

function TextField({ label, fault, onChange, ...input }: TextFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        maxLength={2000}
        {...input}
        id={id}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        onChange={({ target }) => onChange(target.value)}
      />
      <p id={`${id}-fault`} className="fault" role="alert">
        {fault}
      </p>
    </div>
  )
}
