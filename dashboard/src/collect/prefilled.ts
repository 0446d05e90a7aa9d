import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { maxDepth } from './depth-field.tsx'
import { isSetUp } from './platform-choice.tsx'

// What the parameters of the address fill in, in the form of a collection and of a watch.

/** The platforms that the address names, else the usual ones. */
export function chosenAtFirst(platforms: PlatformStatus[], prefilled: URLSearchParams): PlatformName[] {
  const named = new Set((prefilled.get('platforms') ?? '').split(',').filter((name) => name !== ''))
  const isChosen = ({ platform, isDefault }: PlatformStatus) => (named.size > 0 ? named.has(platform) : isDefault)
  return platforms.filter((status) => isSetUp(status) && isChosen(status)).map(({ platform }) => platform)
}

/** The depth that the address names, else one page. */
export const depthAtFirst = (prefilled: URLSearchParams): number => {
  const depth = Number(prefilled.get('depth'))
  return Number.isInteger(depth) && depth >= 1 && depth <= maxDepth ? depth : 1
}
