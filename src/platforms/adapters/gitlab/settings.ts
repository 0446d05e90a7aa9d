import { commaList, definePlatform, itemsOf, secret, webAddress } from '../../definition.ts'
import { gitlabSource } from './source.ts'

export const gitlab = definePlatform({
  name: 'gitlab',
  title: 'GitLab',
  votes: 'thumbs-up reactions',
  isOpen: true,
  publicPages: { show: 'texts' },
  variables: {
    GITLAB_API_URL: webAddress('https://gitlab.com/api/v4', 'base address of the GitLab REST API'),
    GITLAB_TOKEN: secret('a GitLab token: 30 searches a minute instead of 10; only public projects are collected'),
    GITLAB_PROJECTS: commaList(
      ['gitlab-org/gitlab:type::feature', 'gitlab-org/gitlab-runner:type::feature', 'fdroid/fdroidclient:enhancement'],
      'the public GitLab projects that are searched, round-robin, one page each: path or number, a colon, its label of feature requests',
    ),
  },
  sources: gitlabSource,
  create: async (dependencies, environment) =>
    (await import('./search.ts')).createGitlab({
      ...dependencies,
      baseUrl: environment.GITLAB_API_URL,
      token: environment.GITLAB_TOKEN,
      projects: itemsOf(environment.GITLAB_PROJECTS),
    }),
})
