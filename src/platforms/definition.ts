import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import type { Clock } from '../runtime/clock.ts'
import type { AdapterCache } from './adapters/adapter-cache.ts'
import type { OpenBudget } from './budget/budget.ts'
import type { PlatformClient } from './client/client.ts'
import type { FoundRequest, Platform } from './platform.ts'

// The kinds of environment variables that adapters have. `settings.ts` checks each by its `x-kind`.

/** The address of an API. */
export const webAddress = (fallback: string, meaning: string) =>
  Type.String({
    pattern: '^https?://[^\\s]+$',
    default: fallback,
    description: meaning,
    'x-kind': 'web address',
  })

/** A credential. One that no HTTP header can hold is refused at the start: each request with it would fail like a network fault. */
export const secret = (meaning: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description: meaning, 'x-kind': 'secret' }))

/** A comma list of at least one item. */
export const commaList = (items: readonly string[], meaning: string) => list('list', items, meaning)

/** A comma list of at least one address. */
export const webAddressList = (items: readonly string[], meaning: string) => list('web address list', items, meaning)

/** The same where there is none by default. */
export const optionalWebAddressList = (meaning: string) =>
  Type.Optional(Type.String({ description: `comma list: ${meaning}`, 'x-kind': 'web address list' }))

/** A comma list of sources, in any form that `sources` of the definition reads; none by default. */
export const optionalSourceList = (meaning: string) =>
  Type.Optional(Type.String({ description: `comma list: ${meaning}`, 'x-kind': 'source list' }))

const list = (kind: 'list' | 'web address list', items: readonly string[], meaning: string) =>
  Type.String({ default: items.join(','), description: `comma list: ${meaning}`, 'x-kind': kind })

/** The different items of a comma list. */
export function itemsOf(list = ''): string[] {
  const trimmed = list.split(',').map((item) => item.trim())
  return [...new Set(trimmed.filter((item) => item !== ''))]
}

/** One without a name and a password: addresses are shown and logged. */
export function isWebAddress(text = ''): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}

/** The items of a comma list that are none of what is known, by their places: an item may be a secret that was meant for another variable. */
export function unknownItems(items: readonly string[], known: readonly string[]): string | null {
  const places = items.flatMap((item, index) => (known.includes(item) ? [] : [index + 1]))
  return places.length === 0 ? null : `number ${places.join(', ')} of the list is none of ${known.join(', ')}.`
}

/** What every adapter needs besides its own environment variables; the options of each adapter extend it. */
export interface AdapterDependencies {
  client: PlatformClient
  clock: Clock
  /** Called once for each host, when the adapter is made; for a host that an account names, before its first request. */
  openBudget: OpenBudget
}

/** Also the cache, for adapters whose platform makes some results expensive to fetch again. */
export interface CachingAdapterDependencies extends AdapterDependencies {
  cache: AdapterCache
}

/** What a page that everybody can read, without a key, may show of the posts of a platform, by its terms (docs/platforms/). */
export interface PublicPages {
  /** `links`: only how many posts there are, and links to them. `texts`: their texts and authors, too. */
  show: 'texts' | 'links'
  /** The terms of the platform, where they demand a link to them beside its posts. */
  termsUrl?: string
  /** Whether its links may not be `nofollow`, as the attribution of some platforms demands. */
  hasPlainLinks?: boolean
}

/** How an account names a source of a platform in a job, such as a repository. */
export interface SourceKind {
  /** What to write, for errors and docs, such as `owner/repository`. */
  form: string
  example: string
  /** The one form in which a source is stored and compared, at most 300 characters; null for a text that names none. */
  normalise(text: string): string | null
}

/** Everything about a platform that the other rooms need; `adapters/<name>/settings.ts` exports it. */
export interface PlatformDefinition<Variables extends TProperties = TProperties> {
  /** `[a-z]+`, which `definePlatform` checks: it is also a folder, an item of `RETENTION_DAYS` and part of addresses. */
  name: PlatformName
  /** The name that people use for it. */
  title: string
  /** What `votes` of its requests count, in a few words: likes, a score. */
  votes: string
  /** Whether its search needs no credentials: then it is on by default, unless `isOptIn`. */
  isOpen: boolean
  /** Whether it is off until the operator names it, because it has nothing to search that suits everybody. */
  isOptIn?: boolean
  /** Its environment variables; their names begin with that of the platform. */
  variables: Variables
  /** The variables without which it is skipped. */
  required?: readonly (keyof Variables & string)[]
  /** What is shown of its requests where no key is needed. */
  publicPages: PublicPages
  /** Days that its requests are stored after their last refresh, where its terms limit that. */
  retentionDays?: number
  /**
   * Whether each of its hosts can be searched alone, such as forums. Otherwise its hosts need each other, such as one that gives
   * tokens to another, and the platform is ready when all of them are.
   */
  hasIndependentHosts?: boolean
  /**
   * Whether the words of a request's `sourceName` count as its own when it is checked against the topic; by default they do.
   * Present where the source says little about the request, such as the video of a comment (decision 040).
   */
  contextIsTopic?(request: Pick<FoundRequest, 'title' | 'description'>): boolean
  /** Present where a job may name sources of its own; then the adapter obeys `PageRequest.sources` and has `verifySource`. */
  sources?: SourceKind
  /** Makes the adapter. It imports the adapter's code, so that a platform that is off loads nothing. */
  create(dependencies: CachingAdapterDependencies, environment: Static<TObject<Variables>>): Promise<Platform>
}

/**
 * Checks a definition against its own variables, then widens its type: the registry holds definitions with different variables.
 * @throws Error for a name that is not `[a-z]+`, and for a variable that does not begin with the name.
 */
export function definePlatform<Variables extends TProperties>(
  definition: PlatformDefinition<Variables>,
): PlatformDefinition {
  const { name, variables } = definition
  if (!/^[a-z]+$/.test(name)) throw new Error(`the name of a platform must be [a-z]+, not ${name}`)
  const foreign = Object.keys(variables).find((variable) => !variable.startsWith(`${name.toUpperCase()}_`))
  if (foreign !== undefined) throw new Error(`${foreign}: the variables of ${name} begin with ${name.toUpperCase()}_`)
  return definition as unknown as PlatformDefinition
}
