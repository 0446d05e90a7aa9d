import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

interface ModalProps {
  title: string
  close: () => void
  /** The title is only for who listens. */
  isTitleUnseen?: boolean
  children: ReactNode
}

/**
 * What lies over the page: it keeps the focus, Esc closes it, and the focus returns. Without the library's overlay, which adds a style
 * element that the Content-Security-Policy refuses; the style sheet keeps the page from scrolling.
 */
export const Modal = ({ title, close, isTitleUnseen = false, children }: ModalProps) => (
  <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
    <Dialog.Portal>
      <div className="overlay" />
      <Dialog.Content className="dialog" aria-describedby={undefined}>
        <Dialog.Title className={isTitleUnseen ? 'unseen' : undefined}>{title}</Dialog.Title>
        {children}
        {/* Last, so that a field has the focus at first; it stands at the top. */}
        <Dialog.Close className="quiet dialog-close" aria-label={texts.close}>
          ×
        </Dialog.Close>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
)
