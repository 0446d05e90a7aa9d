import { NewChannelForm } from '../channels/new-channel.tsx'
import { Modal } from '../shell/modal.tsx'
import { channelTexts } from '../texts/channels.ts'
import { watchTexts as texts } from '../texts/watches.ts'

interface MailDialogProps {
  close: () => void
  onMade: (channelId: string) => void
}

/** Adds a mail channel over the form of a watch, which keeps what was typed. */
export default function MailDialog({ close, onMade }: MailDialogProps) {
  return (
    <Modal title={channelTexts.mail} close={close}>
      <p className="note">{texts.mailIsConfirmed}</p>
      <NewChannelForm
        type="email"
        isBrief={true}
        cancel={close}
        onMade={({ channelId }) => {
          onMade(channelId)
          close()
        }}
      />
    </Modal>
  )
}
