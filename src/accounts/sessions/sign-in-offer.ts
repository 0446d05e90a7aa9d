import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { linkUrl, makeFirstLink, type SignInLink } from './links.ts'

interface SignInOffer {
  config: { bootstrapApiKey: string | undefined }
  log: Logger
  database: Database
  adminKey: string
  /** The address that links begin with. */
  publicUrl: () => string
  now: Date
}

/**
 * A link for the operator at the terminal, when there is no session. Not if the operator set the first key: then it is known, and
 * the output of such a service is often stored.
 */
export async function offerSignIn({
  config,
  log,
  database,
  adminKey,
  publicUrl,
  now,
}: SignInOffer): Promise<string | null> {
  if (config.bootstrapApiKey !== undefined) return null
  // A failure here must not prevent the start from showing the new key.
  const link = await makeFirstLink(database, { adminKey, now }).catch((error: unknown): SignInLink | null => {
    log.warn({ err: error }, 'no sign-in link could be made')
    return null
  })
  return link && linkUrl(publicUrl(), link)
}
