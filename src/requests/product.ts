import type { PlatformName } from '../database/column-types.ts'
import { siteHost } from '../platforms/adapters/stackexchange/source.ts'

const anySoftware =
  /^(?:(?:[a-z]{2}\.)?stackoverflow|superuser|serverfault|softwarerecs|hardwarerecs|softwareengineering|webapps|ux)$/

/** The forum in a Discourse source name: `forum.acme.com` of `forum.acme.com: Ideas`. */
const forumOf = (sourceName: string) => sourceName.split(': ', 1)[0]!

/** How a source name maps to a product. On other platforms a source is a story, video or person, not a product. */
const products: Readonly<Record<PlatformName, (sourceName: string) => string | null>> = {
  github: (repository) => repository,
  gitlab: (project) => project,
  reddit: (community) => community,
  lemmy: (community) => community,
  discourse: forumOf,
  stackexchange: (site) => (anySoftware.test(site) ? null : siteHost(site)),
}

/** The product of a source: `acme/app`, `r/android`, `forum.acme.com`. Null if it is not about a single one. */
export function productOf({
  platform,
  sourceName,
}: {
  platform: PlatformName
  sourceName: string | null
}): string | null {
  if (sourceName === null) return null
  return products[platform]?.(sourceName.trim().toLowerCase()) || null
}
