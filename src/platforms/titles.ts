// `npm run docs` makes this file from src/platforms/adapters/*/settings.ts.

/** The title of each platform by its name. */
export const platformTitles: Readonly<Record<string, string>> = {
  github: 'GitHub',
  hackernews: 'Hacker News',
  stackexchange: 'Stack Exchange',
  discourse: 'Discourse',
  lemmy: 'Lemmy',
  gitlab: 'GitLab',
  reddit: 'Reddit',
  x: 'X',
  youtube: 'YouTube',
  bluesky: 'Bluesky',
  fider: 'Fider',
  rss: 'RSS',
  appstore: 'App Store',
  board: 'Boards',
  import: 'Imported',
}

/** The name that people use for a platform; of one that is here no more its own. */
export const platformTitle = (platform: string): string => platformTitles[platform] ?? platform

interface Origin {
  sourcePlatform: string
  sourceName: string | null
}

/** What an imported request is shown as, such as `import:inbox`; null for others. */
export const importTitle = ({ sourcePlatform, sourceName }: Origin): string | null =>
  sourcePlatform === 'import' ? `import:${sourceName}` : null
