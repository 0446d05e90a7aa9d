import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { linkUrl, makeFirstLink, type SignInLink } from './links.ts'

interface SignInOffer {
  config: { bootstrapApiKey: string | undefined }
  log: Logger
  database: Database
  adminKey: string
  /** What links begin with. */
  publicUrl: () => string
  now: Date
}

/**
 * A link for whoever sits before the service while nobody is signed in. Not where the operator chose the first key: they have it,
 * and what such a service prints is often kept.
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
  // The key that was made just now is shown whatever becomes of the link.
  const link = await makeFirstLink(database, { adminKey, now }).catch((error: unknown): SignInLink | null => {
    log.warn({ err: error }, 'no sign-in link could be made')
    return null
  })
  return link && linkUrl(publicUrl(), link)
}
