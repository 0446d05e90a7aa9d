import { asFields } from '../../content/fields.ts'
import type { SourceKind } from '../../definition.ts'
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

/** Names that stand for many communities. */
const collections = new Set(['all', 'popular', 'friends', 'mod', 'random'])

/** A community. Upper and lower case are the same to Reddit. */
export const redditSources: SourceKind = {
  form: 'r/name',
  example: 'r/obsidianmd',
  normalise(text) {
    const address = /^(?:(?:https?:\/\/)?(?:\w{2,3}\.)?reddit\.com)?\/?r\/([A-Za-z0-9]\w{1,20})(?:\/.*)?$/i
    const name = address.exec(text.trim())?.[1]?.toLowerCase()
    return name === undefined || collections.has(name) ? null : `r/${name}`
  },
}
