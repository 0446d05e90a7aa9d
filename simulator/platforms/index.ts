import type { SimulatedPlatform } from '../platform-shape.ts'
import { appstore } from './appstore.ts'
import { bluesky } from './bluesky.ts'
import { board } from './board.ts'
import { discourse } from './discourse.ts'
import { fider } from './fider.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { hackernews } from './hackernews.ts'
import { lemmy } from './lemmy.ts'
import { reddit } from './reddit.ts'
import { rss } from './rss.ts'
import { stackexchange } from './stackexchange.ts'
import { x } from './x.ts'
import { youtube } from './youtube.ts'

/** All simulated platforms by their name, which is also their path prefix. */
export const simulatedPlatforms = {
  github,
  hackernews,
  stackexchange,
  youtube,
  gitlab,
  bluesky,
  reddit,
  x,
  discourse,
  lemmy,
  fider,
  rss,
  appstore,
  board,
} as const satisfies Record<string, SimulatedPlatform>

export type SimulatedPlatformName = keyof typeof simulatedPlatforms

export const simulatedPlatformNames = Object.keys(simulatedPlatforms) as SimulatedPlatformName[]
