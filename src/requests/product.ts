import type { PlatformName } from '../database/column-types.ts'
import { siteHost } from '../platforms/adapters/stackexchange/source.ts'

/** Sites of Stack Exchange whose questions are about whatever software their authors use. */
const anySoftware =
  /^(?:(?:[a-z]{2}\.)?stackoverflow|superuser|serverfault|softwarerecs|hardwarerecs|softwareengineering|webapps|ux)$/

/** What stands before the category in the name of a Discourse forum: `forum.acme.com: Ideas`. */
const forumOf = (sourceName: string) => sourceName.split(': ', 1)[0]!

/** How the name of a source tells the product on each platform; on all others a source is no product: a story, a video, a person. */
const products: Readonly<Record<PlatformName, (sourceName: string) => string | null>> = {
  github: (repository) => repository,
  gitlab: (project) => project,
  reddit: (community) => community,
  lemmy: (community) => community,
  discourse: forumOf,
  stackexchange: (site) => (anySoftware.test(site) ? null : siteHost(site)),
}

/**
 * The product that a request is about, by the source that it was posted in, in lower case: the tracker (`acme/app`), the community
 * (`r/android`), the forum without its category or the site (`forum.acme.com`). Null where the source is of no single product.
 */
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
