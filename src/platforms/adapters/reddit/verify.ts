import { asFields } from '../../content/fields.ts'
import { SourceRefusedError } from '../../platform.ts'
import type { RedditApi } from './api.ts'
import { openCommunities } from './post.ts'

/** Checks that `/r/<name>/about` is a public community. @throws SourceRefusedError; PlatformError if unclear now */
export async function verifyCommunity(api: RedditApi, community: string, signal: AbortSignal): Promise<void> {
  const body = asFields(await api({ path: `/${community}/about`, parameters: {}, community, signal }))
  const about = asFields(body?.data)
  const isPublic = body?.kind === 't5' && openCommunities.has(about?.subreddit_type) && about?.quarantine !== true
  if (!isPublic) throw new SourceRefusedError(`reddit has no public community ${community}.`)
}
