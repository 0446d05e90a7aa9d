import { type Static, Type } from 'typebox'
import { openPlatformNames, type PlatformName, platformNames } from './platform.ts'

const url = (fallback: string, meaning: string) =>
  Type.String({ pattern: '^https?://[^\\s]+$', default: fallback, description: meaning })

// What no header can hold would fail each request as if the network did.
const secret = (meaning: string) => Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description: meaning }))

const commaList = (items: readonly string[], meaning: string) =>
  Type.String({ default: items.join(','), description: `comma list: ${meaning}` })

/** YouTube's terms say 30 days; those of Reddit and X want what was deleted there to go, and 30 days is our answer to it. */
const defaultRetention = 'youtube:30,reddit:30,x:30'

/** The environment variables of the platforms: part of the schema in `config.ts`, which alone reads them. */
export const platformVariables = {
  PLATFORMS: commaList(openPlatformNames, `the platforms that are on, of ${platformNames.join(', ')}`),
  DEFAULT_PLATFORMS: Type.Optional(
    Type.String({
      description: `comma list: the platforms of a call that names none; by default those of the first six that are on`,
    }),
  ),
  RETENTION_DAYS: Type.String({
    default: defaultRetention,
    description:
      'comma list: how many days requests of a platform are kept after they were last refreshed; `none` for ever, as are those of platforms that neither you nor the default names',
  }),
  GITHUB_API_URL: url('https://api.github.com', 'base address of the GitHub REST API'),
  GITHUB_TOKEN: secret('a GitHub token: 30 searches a minute instead of 10'),
  HACKERNEWS_API_URL: url('https://hn.algolia.com/api/v1', 'base address of the Hacker News search API'),
  STACKEXCHANGE_API_URL: url('https://api.stackexchange.com/2.3', 'base address of the Stack Exchange API'),
  STACKEXCHANGE_API_KEY: secret('a Stack Exchange key: 10,000 calls a day instead of 300'),
  STACKEXCHANGE_SITES: commaList(
    ['meta', 'meta.stackoverflow', 'softwarerecs'],
    'the sites that are searched, a page of one at a time',
  ),
  DISCOURSE_URLS: commaList(
    [
      'https://meta.discourse.org/c/feature/2',
      'https://community.home-assistant.io/c/feature-requests/13',
      'https://forum.obsidian.md/c/feature-requests/8',
    ],
    'the Discourse forums that are searched, or the category (/c/…) or tag (/tag/…) that holds their wishes, a page of one at a time',
  ),
  LEMMY_URLS: commaList(
    ['https://lemmy.world', 'https://lemmy.ml', 'https://programming.dev'],
    'the Lemmy instances that are searched, a page of one at a time',
  ),
  GITLAB_API_URL: url('https://gitlab.com/api/v4', 'base address of the GitLab REST API'),
  GITLAB_TOKEN: secret('a GitLab token: projects that are not public, and higher limits'),
  GITLAB_PROJECTS: commaList(
    ['gitlab-org/gitlab:type::feature', 'gitlab-org/gitlab-runner:type::feature', 'fdroid/fdroidclient:enhancement'],
    'the GitLab projects that are searched, a page of one at a time: path or number, a colon, the label of wishes there',
  ),
  REDDIT_API_URL: url('https://oauth.reddit.com', 'base address of the Reddit API'),
  REDDIT_TOKEN_URL: url('https://www.reddit.com/api/v1/access_token', 'where Reddit gives access tokens'),
  REDDIT_CLIENT_ID: secret('the id of an approved Reddit application; Reddit needs it'),
  REDDIT_CLIENT_SECRET: secret('its secret'),
  X_API_URL: url('https://api.x.com/2', 'base address of the X API'),
  X_BEARER_TOKEN: secret('an X bearer token; X needs it, and bills every post that is read'),
  YOUTUBE_API_URL: url('https://www.googleapis.com/youtube/v3', 'base address of the YouTube Data API'),
  YOUTUBE_API_KEY: secret('a YouTube Data API key; YouTube needs it'),
  BLUESKY_API_URL: url('https://bsky.social', 'the Bluesky server of the account'),
  BLUESKY_HANDLE: secret('the handle of a Bluesky account; Bluesky needs it'),
  BLUESKY_APP_PASSWORD: secret('an app password of that account'),
}

const schema = Type.Object(platformVariables)
type Variable = keyof typeof platformVariables

/** The variables of the platforms, validated and with their defaults. */
export type PlatformEnvironment = Static<typeof schema>

/** What a platform cannot do without. */
const requiredVariables: Partial<Record<PlatformName, readonly Variable[]>> = {
  reddit: ['REDDIT_CLIENT_ID', 'REDDIT_CLIENT_SECRET'],
  x: ['X_BEARER_TOKEN'],
  youtube: ['YOUTUBE_API_KEY'],
  bluesky: ['BLUESKY_HANDLE', 'BLUESKY_APP_PASSWORD'],
}

const addresses = Object.keys(platformVariables).filter((name) => /_(API|TOKEN)_URL$/.test(name)) as Variable[]
const lists: readonly Variable[] = ['STACKEXCHANGE_SITES', 'DISCOURSE_URLS', 'LEMMY_URLS', 'GITLAB_PROJECTS']

export interface PlatformsConfig {
  enabled: PlatformName[]
  defaults: PlatformName[]
  /** Of each platform that is on: the variables that it cannot do without and that are not set. */
  missing: ReadonlyMap<PlatformName, readonly string[]>
  /** Days after their last refresh, of the platforms whose requests are not kept for good, on or not. */
  retention: ReadonlyMap<PlatformName, number>
  githubApiUrl: string
  githubToken: string | undefined
  hackernewsApiUrl: string
  stackexchangeApiUrl: string
  stackexchangeApiKey: string | undefined
  stackexchangeSites: string[]
  discourseUrls: string[]
  lemmyUrls: string[]
  gitlabApiUrl: string
  gitlabToken: string | undefined
  gitlabProjects: string[]
  redditApiUrl: string
  redditTokenUrl: string
  redditClientId: string | undefined
  redditClientSecret: string | undefined
  xApiUrl: string
  xBearerToken: string | undefined
  youtubeApiUrl: string
  youtubeApiKey: string | undefined
  blueskyApiUrl: string
  blueskyHandle: string | undefined
  blueskyAppPassword: string | undefined
}

/** Says which variable is wrong and what it should be. */
export type Complain = (variable: Variable, what: string) => never

/** What the variables of the platforms mean. @param complain called with the first that is wrong. */
export function readPlatformsConfig(environment: PlatformEnvironment, complain: Complain): PlatformsConfig {
  for (const variable of addresses) {
    if (!isWebAddress(environment[variable])) complain(variable, 'is not a web address.')
  }
  for (const variable of lists) {
    if (list(environment[variable]).length === 0) complain(variable, 'name at least one.')
  }
  for (const variable of ['DISCOURSE_URLS', 'LEMMY_URLS'] as const) {
    if (!list(environment[variable]).every(isWebAddress)) complain(variable, 'must be web addresses, https://…')
  }
  const enabled = parseNames('PLATFORMS', environment.PLATFORMS, platformNames, complain)
  const open = enabled.filter((name) => (openPlatformNames as readonly string[]).includes(name))
  // Where only platforms with credentials are on, the operator has chosen them.
  const fallback = open.length > 0 ? open : enabled
  const missingOf = (name: PlatformName) =>
    (requiredVariables[name] ?? []).filter((variable) => environment[variable] === undefined)
  return {
    enabled,
    defaults: parseNames('DEFAULT_PLATFORMS', environment.DEFAULT_PLATFORMS ?? fallback.join(','), enabled, complain),
    missing: new Map(enabled.map((name) => [name, missingOf(name)])),
    retention: parseRetention(environment.RETENTION_DAYS, complain),
    githubApiUrl: environment.GITHUB_API_URL,
    githubToken: environment.GITHUB_TOKEN,
    hackernewsApiUrl: environment.HACKERNEWS_API_URL,
    stackexchangeApiUrl: environment.STACKEXCHANGE_API_URL,
    stackexchangeApiKey: environment.STACKEXCHANGE_API_KEY,
    stackexchangeSites: list(environment.STACKEXCHANGE_SITES),
    discourseUrls: list(environment.DISCOURSE_URLS),
    lemmyUrls: list(environment.LEMMY_URLS),
    gitlabApiUrl: environment.GITLAB_API_URL,
    gitlabToken: environment.GITLAB_TOKEN,
    gitlabProjects: list(environment.GITLAB_PROJECTS),
    redditApiUrl: environment.REDDIT_API_URL,
    redditTokenUrl: environment.REDDIT_TOKEN_URL,
    redditClientId: environment.REDDIT_CLIENT_ID,
    redditClientSecret: environment.REDDIT_CLIENT_SECRET,
    xApiUrl: environment.X_API_URL,
    xBearerToken: environment.X_BEARER_TOKEN,
    youtubeApiUrl: environment.YOUTUBE_API_URL,
    youtubeApiKey: environment.YOUTUBE_API_KEY,
    blueskyApiUrl: environment.BLUESKY_API_URL,
    blueskyHandle: environment.BLUESKY_HANDLE,
    blueskyAppPassword: environment.BLUESKY_APP_PASSWORD,
  }
}

function parseNames(variable: Variable, text: string, allowed: readonly string[], complain: Complain): PlatformName[] {
  const names = list(text)
  const unknown = names.filter((name) => !allowed.includes(name))
  if (names.length === 0) complain(variable, `name at least one platform of ${allowed.join(', ')}.`)
  if (unknown.length > 0) complain(variable, `${unknown.join(', ')} is not one of ${allowed.join(', ')}.`)
  return names as PlatformName[]
}

/** Reads `youtube:30,x:none`. A platform that is not named keeps its default: leaving one out never keeps data for longer. */
function parseRetention(text: string, complain: Complain): ReadonlyMap<PlatformName, number> {
  const days = new Map<PlatformName, number>()
  for (const item of [...list(defaultRetention), ...list(text)]) {
    const [, platform = '', length = ''] = /^([a-z]+)\s*:\s*(none|[1-9]\d{0,3})$/.exec(item) ?? []
    if (!(platformNames as readonly string[]).includes(platform)) {
      complain(
        'RETENTION_DAYS',
        `must be like youtube:30,x:none: a platform of ${platformNames.join(', ')}, days from 1 to 9999.`,
      )
    }
    if (length === 'none') days.delete(platform as PlatformName)
    else days.set(platform as PlatformName, Number(length))
  }
  const names = list(text).map((item) => item.split(':')[0])
  if (new Set(names).size !== names.length) complain('RETENTION_DAYS', 'name every platform once.')
  return days
}

/** The different items of a comma list. */
function list(items = ''): string[] {
  const trimmed = items.split(',').map((item) => item.trim())
  return [...new Set(trimmed.filter((item) => item !== ''))]
}

function isWebAddress(text = ''): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
