import { foundRequest, numberedPages, platformMap, scriptedPlatform } from '../scripted-platform.ts'

const nothingKnown = { authorName: null, authorHandle: null, authorProfileUrl: null, originalCreatedAt: null }

/** A platform of two pages, one that knows little of its requests, and one with a fault. */
export const platforms = platformMap(
  scriptedPlatform('github', numberedPages(2)),
  scriptedPlatform('hackernews', () => ({
    requests: [foundRequest('bare', { ...nothingKnown, commentCount: null })],
    nextCursor: null,
  })),
  scriptedPlatform('stackexchange', () => {
    throw new Error('a fault')
  }),
)
