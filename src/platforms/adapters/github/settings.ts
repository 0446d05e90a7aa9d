import { definePlatform, secret, webAddress } from '../../definition.ts'
import { githubSource } from './source.ts'

export const github = definePlatform({
  name: 'github',
  title: 'GitHub',
  votes: 'thumbs-up reactions, upvotes of discussions',
  isOpen: true,
  publicPages: { show: 'texts' },
  variables: {
    GITHUB_API_URL: webAddress('https://api.github.com', 'base address of the GitHub REST API'),
    GITHUB_TOKEN: secret('a GitHub token: 30 searches a minute instead of 10, and Discussions too'),
  },
  sources: githubSource,
  create: async (dependencies, { GITHUB_API_URL: baseUrl, GITHUB_TOKEN: token }) =>
    (await import('./search.ts')).createGithub({ ...dependencies, baseUrl, token }),
})
