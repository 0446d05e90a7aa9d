import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { CommandError } from './exit-codes.ts'

export interface ExportTarget {
  /** Resolves when more can be written. */
  write(text: string): Promise<void>
  /** Ends a complete export. */
  finish(): Promise<void>
  /** Ends an incomplete one. */
  close(): Promise<void>
}

const stdoutTarget: ExportTarget = {
  write: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  },
  finish: async () => {},
  close: async () => {},
}

/** Writes to `FILE.partial`, which becomes FILE when it is complete. @throws CommandError when it cannot be written. */
async function openFile(file: string, append: boolean): Promise<ExportTarget> {
  const partial = `${file}.partial`
  const stream = createWriteStream(partial, { flags: append ? 'a' : 'w' })
  await once(stream, 'open').catch((error: Error) => {
    throw new CommandError(`Cannot write ${partial}: ${error.message}`)
  })
  const failure = Promise.withResolvers<never>()
  stream.once('error', (error) => failure.reject(new CommandError(`Cannot write ${partial}: ${error.message}`)))
  // The next wait for the stream rejects; until then the rejection is unhandled.
  failure.promise.catch(() => {})
  const orFailure = (event: 'drain' | 'close') => Promise.race([failure.promise, once(stream, event)])
  const end = async () => {
    // The last write may have failed after its call returned: a full disk.
    if (stream.errored) await failure.promise
    if (stream.closed) return
    stream.end()
    await orFailure('close')
  }
  return {
    write: async (text: string) => {
      if (!stream.write(text)) await orFailure('drain')
    },
    finish: async () => {
      await end()
      await rename(partial, file)
    },
    close: () => end().catch(() => {}),
  }
}

/** Opens the file that an export is written to, or stdout. @param append whether it continues an earlier export. */
export const openTarget = async (file: string | undefined, append: boolean): Promise<ExportTarget> =>
  file === undefined ? stdoutTarget : openFile(file, append)
