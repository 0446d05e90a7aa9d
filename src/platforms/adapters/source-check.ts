import { PlatformError, SourceRefusedError } from '../platform.ts'

/** Errors that mean an address holds no public source; others prove nothing. */
const refusals: ReadonlySet<string> = new Set(['unauthorized', 'bad_response'])

/** @throws SourceRefusedError if the read shows that it is no public source; PlatformError if that is unclear now */
export async function checkSource(read: () => Promise<unknown>): Promise<void> {
  try {
    await read()
  } catch (error) {
    const isRefusal = error instanceof PlatformError && !error.retryAt && refusals.has(error.code)
    throw isRefusal && !(error instanceof SourceRefusedError) ? new SourceRefusedError(error.message) : error
  }
}
