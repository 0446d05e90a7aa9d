import { PlatformError, SourceRefusedError } from '../platform.ts'

/** The errors that say that an address holds no public source; others say nothing about it. */
const refusals: ReadonlySet<string> = new Set(['unauthorized', 'bad_response'])

/** Checks a source of an account by reading it. @throws SourceRefusedError where it is none; PlatformError when that cannot be known now. */
export async function checkSource(read: () => Promise<unknown>): Promise<void> {
  try {
    await read()
  } catch (error) {
    const isRefusal = error instanceof PlatformError && !error.retryAt && refusals.has(error.code)
    throw isRefusal && !(error instanceof SourceRefusedError) ? new SourceRefusedError(error.message) : error
  }
}
