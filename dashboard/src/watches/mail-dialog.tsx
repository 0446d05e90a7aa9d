import { NewChannelForm } from '../channels/new-channel.tsx'
import { Modal } from '../shell/modal.tsx'
import { channelTexts } from '../texts/later/channels.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'

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
