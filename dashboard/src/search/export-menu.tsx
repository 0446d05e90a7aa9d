import { useEffect, useRef, useState } from 'react'
import { exportRequests } from '../api/calls.ts'
import { ApiError } from '../api/client.ts'
import { useSession } from '../api/session-store.ts'
import { Problem } from '../shell/problem.tsx'
import { useIsTyping } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { saveFile } from './save-file.ts'
import { useResults } from './use-results.ts'
import { exportInput, type View } from './view.ts'

type Format = 'csv' | 'jsonl'
type State =
  | { state: 'ready' | 'done' }
  | { state: 'busy'; bytes: number }
  | { state: 'failed'; error: unknown; format: Format }

/** What the view shows, as a file: every request of a list, or the results of a search. */
export function ExportMenu({ view }: { view: View }) {
  const details = useRef<HTMLDetailsElement>(null)
  const [state, setState] = useState<State>({ state: 'ready' })
  const running = useRef<AbortController | null>(null)
  const { account } = useSession()
  const typing = useIsTyping()
  useEffect(() => () => running.current?.abort(), [])
  const run = async (format: Format) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ state: 'busy', bytes: 0 })
    try {
      const response = await exportRequests(exportInput(view, typing), format, controller)
      const file = await readWhole(response, (bytes) => setState({ state: 'busy', bytes }))
      saveFile(file, `wishwell-requests.${format}`)
      setState({ state: 'done' })
    } catch (error) {
      if (!controller.signal.aborted) setState({ state: 'failed', error, format })
    }
  }
  const stop = () => {
    running.current?.abort()
    setState({ state: 'ready' })
  }
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
        <Contents view={view} typing={typing} />
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

/** What will be in the file. Of an expanded search only the words themselves can be asked for again. */
function Contents({ view, typing }: { view: View; typing: boolean }) {
  const { data, isPlaceholderData } = useResults(view, typing)
  const isExpanded = !isPlaceholderData && data?.pages[0]?.meta?.expanded === true
  if (view.query === '') return <p>{texts.exportIntro}</p>
  return <p>{isExpanded ? texts.exportIntroExpanded : texts.exportIntroSearch}</p>
}

/**
 * Reads an answer to its end and tells how much has come. By a reader: Safari's streams cannot be iterated.
 * @throws ApiError with status 0 when it breaks: half a file is none.
 */
async function readWhole(response: Response, tell: (bytes: number) => void): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body?.getReader()
  for (;;) {
    const read = await reader?.read().catch(() => {
      throw new ApiError(0, null)
    })
    if (read === undefined || read.done) break
    chunks.push(read.value)
    bytes += read.value.length
    tell(bytes)
  }
  return new Blob(chunks, { type: response.headers.get('content-type') ?? 'application/octet-stream' })
}
