import type { PlatformName } from '../../database/column-types.ts'
import { itemsOf, type PlatformDefinition, type SourceKind } from '../definition.ts'

/** How sources are named, by platform; only those whose sources jobs may name. */
export type SourceKinds = ReadonlyMap<PlatformName, SourceKind>

export const sourceKindsOf = (definitions: readonly PlatformDefinition[]): SourceKinds =>
  new Map(definitions.flatMap(({ name, sources }) => (sources === undefined ? [] : [[name, sources] as const])))

/** The operator's sources by platform, normalized. */
export type ListedSources = ReadonlyMap<PlatformName, ReadonlySet<string>>

const isList = (schema: unknown) => String((schema as { 'x-kind'?: string })['x-kind']).endsWith('list')

/** Sources in variables such as `GITLAB_PROJECTS`; a platform without one, such as GitHub, lists none. */
export function listedSources(
  definitions: readonly PlatformDefinition[],
  kinds: SourceKinds,
  environment: Readonly<Record<string, string | undefined>>,
): ListedSources {
  const listed = new Map<PlatformName, ReadonlySet<string>>()
  for (const { name, variables } of definitions) {
    const kind = kinds.get(name)
    if (kind === undefined) continue
    const lists = Object.keys(variables).filter((variable) => isList(variables[variable]))
    const items = lists.flatMap((variable) => itemsOf(environment[variable]))
    listed.set(name, new Set(items.flatMap((item) => kind.normalise(item) ?? [])))
  }
  return listed
}
