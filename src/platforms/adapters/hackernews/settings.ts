import { definePlatform, webAddress } from '../../definition.ts'

export const hackernews = definePlatform({
  name: 'hackernews',
  title: 'Hacker News',
  votes: 'points; comments have none',
  isOpen: true,
  publicPages: { show: 'texts' },
  variables: {
    HACKERNEWS_API_URL: webAddress('https://hn.algolia.com/api/v1', 'base address of the Hacker News search API'),
    HACKERNEWS_WEB_URL: webAddress('https://news.ycombinator.com', 'where people read Hacker News, for links'),
  },
  create: async (dependencies, { HACKERNEWS_API_URL: baseUrl, HACKERNEWS_WEB_URL: webUrl }) =>
    (await import('./search.ts')).createHackernews({ ...dependencies, baseUrl, webUrl }),
})
