/** Texts of an issue tracker are about one product and mostly long; posts of a social platform are about anything. */
export type PlatformGroup = 'tracker' | 'social'

const trackers: ReadonlySet<string> = new Set([
  'github',
  'gitlab',
  'fider',
  'jira',
  'bugzilla',
  'redmine',
  'gitea',
  'bitbucket',
])

/** The group of a platform; one without a known tracker is social, where more is needed for a wish. */
export const groupOf = (platform: string): PlatformGroup =>
  trackers.has(platform.toLowerCase()) ? 'tracker' : 'social'
