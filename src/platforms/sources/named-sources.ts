import { type Static, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import { invalidField } from '../../http/validation.ts'
import type { SourceKinds } from './source-kinds.ts'

// The `sources` of a job, such as {"github": ["owner/repository"]}.

const maxOfPlatform = 10
const maxOfJob = 50
const maxCharacters = 300

/** Schema of a body's `sources`. `readSources` refuses platforms without sources, naming those with some. */
export const sourcesSchema = (kinds: SourceKinds) =>
  Type.Record(
    Type.String(),
    Type.Array(Type.String({ minLength: 1, maxLength: maxCharacters }), { minItems: 1, maxItems: maxOfPlatform }),
    {
      minProperties: 1,
      description: `The sources to collect from, by platform, instead of those of the operator; each must be public. At most ${maxOfPlatform} a platform and ${maxOfJob} in all.${formsOf(kinds)}`,
      examples: [Object.fromEntries([...kinds].map(([name, { example }]) => [name, [example]]))],
    },
  )

const formsOf = (kinds: SourceKinds) => [...kinds].map(([name, { form }]) => ` ${name}: \`${form}\`.`).join('')

export type SourcesBody = Static<ReturnType<typeof sourcesSchema>>

export interface NamedSource {
  platform: PlatformName
  /** Normalized. */
  source: string
  /** Of the first of equal ones, e.g. `sources.github[0]`. */
  path: string
}

/**
 * Normalizes and deduplicates sources, in order.
 * @param platforms the job's; undefined if none are named
 * @throws ServiceError INVALID_REQUEST for a platform without sources or outside the job, invalid text, or too many
 */
export function readSources(
  body: SourcesBody,
  kinds: SourceKinds,
  platforms: readonly PlatformName[] | undefined,
): NamedSource[] {
  const named = new Map<string, NamedSource>()
  for (const [platform, texts] of Object.entries(body)) {
    const kind = kinds.get(platform)
    if (kind === undefined) {
      throw invalidField(
        `sources.${platform}`,
        `a job can name sources of ${[...kinds.keys()].join(', ') || 'no platform'}`,
      )
    }
    if (platforms && !platforms.includes(platform)) {
      throw invalidField(`sources.${platform}`, `${platform} is not one of the platforms of the job`)
    }
    texts.forEach((text, index) => {
      const path = `sources.${platform}[${index}]`
      const source = kind.normalise(text.trim())
      if (source === null) throw invalidField(path, `must be ${kind.form}, such as ${kind.example}`)
      const key = `${platform} ${source}`
      if (!named.has(key)) named.set(key, { platform, source, path })
    })
  }
  if (named.size > maxOfJob) throw invalidField('sources', `must not have more than ${maxOfJob} sources`)
  return [...named.values()]
}

export type SourcesByPlatform = ReadonlyMap<PlatformName, string[]>

export function byPlatform(named: readonly NamedSource[]): SourcesByPlatform {
  const grouped = Map.groupBy(named, ({ platform }) => platform)
  return new Map([...grouped].map(([platform, ofPlatform]) => [platform, ofPlatform.map(({ source }) => source)]))
}
