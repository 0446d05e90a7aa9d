import { shellTexts as texts } from '../texts/shell.ts'
import { Modal } from './modal.tsx'

/** What each key does. */
export default function KeysDialog({ close }: { close: () => void }) {
  return (
    <Modal title={texts.keysTitle} close={close}>
      <dl className="keys-list">
        {texts.keys.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
