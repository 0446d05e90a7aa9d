import type { PlatformName } from '../src/database/column-types.ts'
import { foundRequest as withDefaults } from '../src/platforms/content/fields.ts'
import type { FoundRequest, Page, PageRequest, Platform } from '../src/platforms/platform.ts'

/** A request as an adapter would give it; everything that a test does not care about is filled in. */
export function foundRequest(sourceId: string, fields: Partial<FoundRequest> = {}): FoundRequest {
  return withDefaults({
    sourceId,
    title: `Request ${sourceId}`,
    description: `Description of ${sourceId}`,
    votes: 1,
    tags: ['enhancement'],
    commentCount: 0,
    sourceUrl: `https://example.org/${sourceId}`,
    authorName: 'Ada Lovelace',
    authorHandle: 'ada',
    authorProfileUrl: 'https://example.org/ada',
    originalCreatedAt: new Date('2026-01-02T03:04:05.000Z'),
    // Not judged by its text, which says nothing: tests of detection set `confidence: undefined`.
    confidence: 1,
    ...fields,
  })
}

/** The answer of a scripted platform to its n-th call (from 0). Throw a PlatformError to fail. */
export type Script = (call: number, request: PageRequest) => Page | null | Promise<Page | null>

export interface ScriptedPlatform extends Platform {
  readonly calls: PageRequest[]
}

/** An adapter without a network: tests of jobs say exactly what each page is. */
export function scriptedPlatform(name: PlatformName, script: Script): ScriptedPlatform {
  const calls: PageRequest[] = []
  return {
    name,
    calls,
    fetchPage: async (request) => {
      calls.push(request)
      return script(calls.length - 1, request)
    },
  }
}

/** Pages of `size` requests each, `pages` of them, with cursors 1, 2, …; ids are the same for every call of a cursor. */
export const numberedPages =
  (pages: number, size = 2): Script =>
  (_call, { cursor }) => {
    const page = typeof cursor === 'number' ? cursor : 0
    const requests = Array.from({ length: size }, (_, index) => foundRequest(`${page}-${index}`))
    return { requests, nextCursor: page + 1 < pages ? page + 1 : null }
  }

export const platformMap = (...platforms: Platform[]): ReadonlyMap<PlatformName, Platform> =>
  new Map(platforms.map((platform) => [platform.name, platform]))
