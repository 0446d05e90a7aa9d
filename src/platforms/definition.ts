import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import type { Clock } from '../runtime/clock.ts'
import type { AdapterCache } from './adapters/adapter-cache.ts'
import type { OpenBudget } from './budget/budget.ts'
import type { PlatformClient } from './client/client.ts'
import type { FoundRequest, Platform } from './platform.ts'

// Kinds of environment variables for adapters, checked by `settings.ts` by `x-kind`.

/** The address of an API. */
export const webAddress = (fallback: string, meaning: string) =>
  Type.String({
    pattern: '^https?://[^\\s]+$',
    default: fallback,
    description: meaning,
    'x-kind': 'web address',
  })

/** A credential. Refused at startup if no HTTP header can hold it: every request would fail like a network fault. */
export const secret = (meaning: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description: meaning, 'x-kind': 'secret' }))

/** A comma list with at least one item. */
export const commaList = (items: readonly string[], meaning: string) => list('list', items, meaning)

/** A comma list with at least one address. */
export const webAddressList = (items: readonly string[], meaning: string) => list('web address list', items, meaning)

/** Like `webAddressList`, with none by default. */
export const optionalWebAddressList = (meaning: string) =>
  Type.Optional(Type.String({ description: `comma list: ${meaning}`, 'x-kind': 'web address list' }))

/** An optional comma list of sources, in any form the definition's `sources` accepts. */
export const optionalSourceList = (meaning: string) =>
  Type.Optional(Type.String({ description: `comma list: ${meaning}`, 'x-kind': 'source list' }))

const list = (kind: 'list' | 'web address list', items: readonly string[], meaning: string) =>
  Type.String({ default: items.join(','), description: `comma list: ${meaning}`, 'x-kind': kind })

/** Distinct items of a comma list. */
export function itemsOf(list = ''): string[] {
  const trimmed = list.split(',').map((item) => item.trim())
  return [...new Set(trimmed.filter((item) => item !== ''))]
}

/** Without credentials: addresses are shown and logged. */
export function isWebAddress(text = ''): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}

/** The positions of unknown items in a comma list. Not their text: it may be a secret for another variable. */
export function unknownItems(items: readonly string[], known: readonly string[]): string | null {
  const places = items.flatMap((item, index) => (known.includes(item) ? [] : [index + 1]))
  return places.length === 0 ? null : `number ${places.join(', ')} of the list is none of ${known.join(', ')}.`
}

/** What every adapter needs besides its own variables; each adapter's options extend it. */
export interface AdapterDependencies {
  client: PlatformClient
  clock: Clock
  /** Called once per host: when the adapter is created, or before an account-named host's first request. */
  openBudget: OpenBudget
}

/** Adds a cache, for platforms with results that are expensive to fetch again. */
export interface CachingAdapterDependencies extends AdapterDependencies {
  cache: AdapterCache
}

/** What pages without an API key may show of a platform's posts, by its terms (docs/platforms/). */
export interface PublicPages {
  /** `links`: only the number of posts and links to them. `texts`: also texts and authors. */
  show: 'texts' | 'links'
  /** The platform's terms, if they demand a link next to its posts. */
  termsUrl?: string
  /** Forbids `nofollow` on links, as some platforms' attribution rules demand. */
  hasPlainLinks?: boolean
}

/** How accounts name a platform's sources in a job, such as repositories. */
export interface SourceKind {
  /** What to write, for errors and docs, e.g. `owner/repository`. */
  form: string
  example: string
  /** The stored and compared form of a source, at most 300 characters; null if the text names none. */
  normalise(text: string): string | null
}

/** What other rooms need to know about a platform; exported by `adapters/<name>/settings.ts`. */
export interface PlatformDefinition<Variables extends TProperties = TProperties> {
  /** Checked to be `[a-z]+`: it is also a folder, an item of `RETENTION_DAYS` and part of addresses. */
  name: PlatformName
  title: string
  /** What its `votes` count, in a few words: likes, a score. */
  votes: string
  /** Its search needs no credentials; on by default unless `isOptIn`. */
  isOpen: boolean
  /** Off until the operator names it, because no default sources suit everybody. */
  isOptIn?: boolean
  /** Its environment variables, named after the platform. */
  variables: Variables
  /** Variables without which it is skipped. */
  required?: readonly (keyof Variables & string)[]
  /** What to show of its requests without an API key. */
  publicPages: PublicPages
  /** Days to store requests after their last refresh, if its terms limit that. */
  retentionDays?: number
  /** Whether each host works alone, as forums do. Otherwise, as with a token host, all must be ready. */
  hasIndependentHosts?: boolean
  /** Whether `sourceName` counts for the topic, by default yes. No for, e.g., a comment's video (decision 040). */
  contextIsTopic?(request: Pick<FoundRequest, 'title' | 'description'>): boolean
  /** Set if jobs may name sources; the adapter then obeys `PageRequest.sources` and has `verifySource`. */
  sources?: SourceKind
  /** Creates the adapter and imports its code, so a disabled platform loads nothing. */
  create(dependencies: CachingAdapterDependencies, environment: Static<TObject<Variables>>): Promise<Platform>
}

/** Checks a definition and widens its type. @throws Error for a name not `[a-z]+`, or variables not starting with it */
export function definePlatform<Variables extends TProperties>(
  definition: PlatformDefinition<Variables>,
): PlatformDefinition {
  const { name, variables } = definition
  if (!/^[a-z]+$/.test(name)) throw new Error(`the name of a platform must be [a-z]+, not ${name}`)
  const foreign = Object.keys(variables).find((variable) => !variable.startsWith(`${name.toUpperCase()}_`))
  if (foreign !== undefined) throw new Error(`${foreign}: the variables of ${name} begin with ${name.toUpperCase()}_`)
  return definition as unknown as PlatformDefinition
}
