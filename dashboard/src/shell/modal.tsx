import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

interface ModalProps {
  title: string
  close: () => void
  /** The title is only for who listens. */
  isTitleUnseen?: boolean
  children: ReactNode
}

/** The first field, so that one types at once; without one it is the button that closes. */
function focusField(event: Event) {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('input, select, textarea')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

/**
 * What lies over the page: it keeps the focus, Esc closes it, and the focus returns. Without the library's overlay, which adds a style
 * element that the Content-Security-Policy refuses; the style sheet keeps the page from scrolling.
 */
export function Modal({ title, close, isTitleUnseen = false, children }: ModalProps) {
  const opener = useRef({ element: document.activeElement, path: location.pathname })
  // The library returns the focus only to a button of its own. Another page takes it by itself.
  const returnFocus = (event: Event) => {
    event.preventDefault()
    const { element, path } = opener.current
    if (location.pathname === path && element instanceof HTMLElement) element.focus()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <div className="overlay" />
        <Dialog.Content
          className="dialog"
          aria-describedby={undefined}
          onOpenAutoFocus={focusField}
          onCloseAutoFocus={returnFocus}
        >
          <Dialog.Title className={isTitleUnseen ? 'unseen' : undefined}>{title}</Dialog.Title>
          {children}
          <Dialog.Close className="quiet dialog-close" aria-label={texts.close}>
            ×
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
