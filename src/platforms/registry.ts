import type { PlatformName } from '../database/column-types.ts'
import { appstore } from './adapters/appstore/settings.ts'
import { bluesky } from './adapters/bluesky/settings.ts'
import { board } from './adapters/board/settings.ts'
import { discourse } from './adapters/discourse/settings.ts'
import { fider } from './adapters/fider/settings.ts'
import { github } from './adapters/github/settings.ts'
import { gitlab } from './adapters/gitlab/settings.ts'
import { hackernews } from './adapters/hackernews/settings.ts'
import { lemmy } from './adapters/lemmy/settings.ts'
import { reddit } from './adapters/reddit/settings.ts'
import { rss } from './adapters/rss/settings.ts'
import { stackexchange } from './adapters/stackexchange/settings.ts'
import { x } from './adapters/x/settings.ts'
import { youtube } from './adapters/youtube/settings.ts'
import type { PlatformDefinition, PublicPages } from './definition.ts'

/** Every platform that Wishwell has an adapter for. The order is that of documents, lists and defaults. */
export const platformDefinitions: readonly PlatformDefinition[] = [
  github,
  hackernews,
  stackexchange,
  discourse,
  lemmy,
  gitlab,
  reddit,
  x,
  youtube,
  bluesky,
  fider,
  rss,
  appstore,
  board,
]

export const platformNames: readonly PlatformName[] = platformDefinitions.map(({ name }) => name)

/** The platform of what people import: nothing is collected from it, so no definition has it, and each account sees its own (`feedback/`). */
export const importPlatform: PlatformName = 'import'

/** The platforms that requests may be from. */
export const storedPlatformNames: readonly PlatformName[] = [...platformNames, importPlatform]

/** Their searches need no credentials: a call that names no platforms uses those of them that are on. */
export const openPlatformNames: readonly PlatformName[] = platformDefinitions
  .filter(({ isOpen }) => isOpen)
  .map(({ name }) => name)

/** On by default. */
export const defaultPlatformNames: readonly PlatformName[] = platformDefinitions
  .filter(({ isOpen, isOptIn }) => isOpen && !isOptIn)
  .map(({ name }) => name)

/** @throws Error for a name that no platform has. */
export function definitionOf(platform: PlatformName): PlatformDefinition {
  const definition = platformDefinitions.find(({ name }) => name === platform)
  if (definition === undefined) throw new Error(`there is no platform ${platform}`)
  return definition
}

/** What votes on a platform count; null for one that is here no more, and for what was imported from anywhere. */
export const votesOf = (platform: PlatformName): string | null =>
  platformDefinitions.find(({ name }) => name === platform)?.votes ?? null

/** What a page without a key may show of a platform; only links to one that is here no more. */
export const publicPagesOf = (platform: PlatformName): PublicPages =>
  platformDefinitions.find(({ name }) => name === platform)?.publicPages ?? { show: 'links' }

/** The platforms whose texts a page without a key may show. */
export const publicTextPlatforms: readonly PlatformName[] = platformDefinitions
  .filter(({ publicPages }) => publicPages.show === 'texts')
  .map(({ name }) => name)

export const titleOf = (platform: PlatformName): string =>
  platform === importPlatform ? 'Imported' : definitionOf(platform).title
