import { useRef } from 'react'
import { useSession } from '../api/session-store.ts'
import { Problem } from '../shell/problem.tsx'
import { useIsTyping } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { useExport } from './use-export.ts'
import type { View } from './view.ts'

/** Exports what the view shows: every request of a list, or the results of a search. */
export function ExportMenu({ view }: { view: View }) {
  const details = useRef<HTMLDetailsElement>(null)
  const { account } = useSession()
  const typing = useIsTyping()
  const { state, run, stop } = useExport(view, typing)
  if (account === null) return null
  return (
    <details
      ref={details}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        details.current.open = false
        details.current.querySelector('summary')?.focus()
      }}
    >
      <summary>{texts.export}</summary>
      <div className="menu-body">
        <p>{view.query === '' ? texts.exportIntro : texts.exportIntroSearch}</p>
        <div className="actions">
          {(['csv', 'jsonl'] as const).map((format) => (
            <button key={format} type="button" disabled={state.state === 'busy'} onClick={() => void run(format)}>
              {texts.exportAs[format]}
            </button>
          ))}
        </div>
        <p role="status">
          {state.state === 'busy' && texts.exporting(state.bytes)}
          {state.state === 'done' && texts.exported}
        </p>
        {state.state === 'busy' && (
          <button type="button" className="quiet" onClick={stop}>
            {texts.stopExport}
          </button>
        )}
        {state.state === 'failed' && <Problem error={state.error} retry={() => run(state.format)} />}
      </div>
    </details>
  )
}
