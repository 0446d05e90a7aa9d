import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is read and changed of a document of CycloneDX, as `npm sbom` makes it of exact versions. */
interface Bom {
  metadata: { component: { 'bom-ref': string; name: string } }
  components: { 'bom-ref': string; scope?: string; properties?: { name: string }[] }[]
  /** A package, and the packages that it needs. */
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** The packages whose code is bundled into the page: dependencies of the development, because nobody installs them. */
function packagesOfPage(root: string, names: readonly string[]): string[] {
  const files = ['dashboard/reference.ts', ...globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root })]
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const imported = [...sources.matchAll(/^import (?!type )[^']*from '([^']+)'/gm)].map(([, name = '']) => `${name}/`)
  return names.filter((name) => imported.some((one) => one.startsWith(`${name}/`)))
}

/** @returns the document, reduced to what the package of `root` installs or has in its page, with what these packages need. */
export function billOfMaterials(whole: Bom, root: string): string {
  const { name, dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const direct = [...Object.keys(dependencies), ...packagesOfPage(root, Object.keys(devDependencies))]
  const versions = { ...dependencies, ...devDependencies }
  const needs = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const shipped = new Set(direct.map((dependency) => `${dependency}@${versions[dependency]}`))
  // What is added to a set while it is iterated is reached, too.
  for (const ref of shipped) for (const needed of needs.get(ref) ?? []) shipped.add(needed)
  const { component: own } = whole.metadata
  const isShipped = (ref: string) => shipped.has(ref)
  const reduced: Bom = {
    ...whole,
    // npm takes the name of the folder.
    metadata: { ...whole.metadata, component: { ...own, name } },
    components: whole.components
      .filter((component) => isShipped(component['bom-ref']))
      // npm marks what the page is bundled of as needed by the development only.
      .map((component) => ({ ...component, scope: 'required', properties: [] })),
    dependencies: whole.dependencies
      .filter(({ ref }) => ref === own['bom-ref'] || isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  }
  return `${JSON.stringify(reduced, null, 2)}\n`
}
