import { useEffect, useRef, useState } from 'react'
import { exportRequests } from '../api/calls.ts'
import { ApiError } from '../api/client.ts'
import { saveFile } from './save-file.ts'
import { exportInput, type View } from './view.ts'

export type ExportFormat = 'csv' | 'jsonl'
export type ExportState =
  | { state: 'ready' | 'done' }
  | { state: 'busy'; bytes: number }
  | { state: 'failed'; error: unknown; format: ExportFormat }

/** Saves the requests of a view as a file, one export at a time. Leaving the page aborts it. */
export function useExport(view: View, typing: boolean) {
  const [state, setState] = useState<ExportState>({ state: 'ready' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async (format: ExportFormat) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ state: 'busy', bytes: 0 })
    try {
      const response = await exportRequests(exportInput(view, typing), format, controller.signal)
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
  return { state, run, stop }
}

/**
 * Reads an answer to its end. Uses a reader, because Safari's streams cannot be iterated.
 * @param onProgress called with the bytes that have arrived.
 * @throws ApiError with status 0 when the connection breaks: an incomplete file is never saved.
 */
async function readWhole(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
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
    onProgress(bytes)
  }
  return new Blob(chunks, { type: response.headers.get('content-type') ?? 'application/octet-stream' })
}
