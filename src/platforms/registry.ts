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

/** All platforms with an adapter, in the order of documents, lists and defaults. */
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

/** The platform of imported requests: never collected, without a definition, visible per account (`feedback/`). */
export const importPlatform: PlatformName = 'import'

/** Platforms that stored requests may have. */
export const storedPlatformNames: readonly PlatformName[] = [...platformNames, importPlatform]

/** Platforms searchable without credentials: the default of calls that name none, as far as enabled. */
export const openPlatformNames: readonly PlatformName[] = platformDefinitions
  .filter(({ isOpen }) => isOpen)
  .map(({ name }) => name)

/** Enabled by default. */
export const defaultPlatformNames: readonly PlatformName[] = platformDefinitions
  .filter(({ isOpen, isOptIn }) => isOpen && !isOptIn)
  .map(({ name }) => name)

/** @throws Error for an unknown name */
export function definitionOf(platform: PlatformName): PlatformDefinition {
  const definition = platformDefinitions.find(({ name }) => name === platform)
  if (definition === undefined) throw new Error(`there is no platform ${platform}`)
  return definition
}

/** The meaning of a platform's votes; null for a removed platform and for imports. */
export const votesOf = (platform: PlatformName): string | null =>
  platformDefinitions.find(({ name }) => name === platform)?.votes ?? null

/** What pages without an API key may show; links only for a removed platform. */
export const publicPagesOf = (platform: PlatformName): PublicPages =>
  platformDefinitions.find(({ name }) => name === platform)?.publicPages ?? { show: 'links' }

/** Platforms whose texts may be shown without an API key. */
export const publicTextPlatforms: readonly PlatformName[] = platformDefinitions
  .filter(({ publicPages }) => publicPages.show === 'texts')
  .map(({ name }) => name)

export const titleOf = (platform: PlatformName): string =>
  platform === importPlatform ? 'Imported' : definitionOf(platform).title
