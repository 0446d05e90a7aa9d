import type { Static, TObject, TProperties } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import type { Clock } from '../runtime/clock.ts'
import type { AdapterCache } from './adapters/adapter-cache.ts'
import type { OpenBudget } from './budget/budget.ts'
import type { PlatformClient } from './client/client.ts'
import type { Platform } from './platform.ts'

/** What every adapter is made with; the rest is in its own variables. */
export interface AdapterDependencies {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  cache: AdapterCache
}

/** Everything that the rest of Wishwell knows of a platform; `adapters/<name>/settings.ts` exports it. */
export interface PlatformDefinition<Variables extends TProperties = TProperties> {
  name: PlatformName
  /** What people call it. */
  title: string
  /** Whether its search is open to everybody: then it is on unless the operator says otherwise. */
  isOpen: boolean
  /** Its environment variables; their names begin with that of the platform. */
  variables: Variables
  /** The variables without which it is skipped. */
  required?: readonly (keyof Variables & string)[]
  /** How many days its requests are kept after they were last refreshed, where its terms limit that. */
  retentionDays?: number
  /** Makes the adapter; what it is made of is loaded only then. */
  create(dependencies: AdapterDependencies, environment: Static<TObject<Variables>>): Promise<Platform>
}

/** Checks a definition against its own variables, and forgets their types: the registry holds many kinds. */
export const definePlatform = <Variables extends TProperties>(
  definition: PlatformDefinition<Variables>,
): PlatformDefinition => definition as unknown as PlatformDefinition
