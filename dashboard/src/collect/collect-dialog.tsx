import { useEffect, useRef } from 'react'
import { collectAddress } from '../shell/addresses.ts'
import { Modal } from '../shell/modal.tsx'
import { Link, useAddress } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { StartForm } from './start-form.tsx'

/** A new collection, over the page that is open. It closes when the collection was started, which has a page of its own. */
export default function CollectDialog({ close }: { close: () => void }) {
  const { pathname } = useAddress()
  const opened = useRef(pathname)
  useEffect(() => {
    if (pathname !== opened.current) close()
  }, [pathname, close])
  return (
    <Modal title={texts.title} close={close}>
      <StartForm prefilled={new URLSearchParams()} />
      <p className="note">
        <Link href={collectAddress}>{texts.history}</Link>
      </p>
    </Modal>
  )
}
