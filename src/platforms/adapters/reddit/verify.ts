import { asFields } from '../../content/fields.ts'
import { SourceRefusedError } from '../../platform.ts'
import type { RedditApi } from './api.ts'
import { openCommunities } from './post.ts'

/**
 * Checks that a community exists and is public (`GET /r/<name>/about`). Reddit answers for one that does not exist with a list
 * of similar ones.
 * @throws SourceRefusedError, PlatformError when that cannot be known now.
 */
export async function verifyCommunity(api: RedditApi, community: string, signal: AbortSignal): Promise<void> {
  const body = asFields(await api({ path: `/${community}/about`, parameters: {}, community, signal }))
  const about = asFields(body?.data)
  const isPublic = body?.kind === 't5' && openCommunities.has(about?.subreddit_type) && about?.quarantine !== true
  if (!isPublic) throw new SourceRefusedError(`reddit has no public community ${community}.`)
}
