export const importFields = [
  'id',
  'title',
  'description',
  'votes',
  'status',
  'statusReason',
  'url',
  'author',
  'authorHandle',
  'createdAt',
  'tags',
  'commentCount',
] as const
export type ImportField = (typeof importFields)[number]

export type ColumnMapping = Partial<Record<ImportField, string>>

/**
 * Names of each field, by `normalised`, likeliest first: from exports of UserVoice
 * (help.uservoice.com/hc/en-us/articles/360035485693), Canny and Productboard (APIs), GitHub (REST, `gh issue list
 * --json`), Reddit (data request), Fider, Quackback and Jira.
 */
const names: Record<ImportField, readonly string[]> = {
  id: ['id', 'external id', 'source id', 'key', 'number', 'uuid', 'guid', 'reference', 'ref'],
  title: ['title', 'name', 'subject', 'summary', 'headline'],
  description: [
    'description',
    'details',
    'body',
    'content',
    'text',
    'message',
    'comment',
    'feedback',
    'note',
    'request',
  ],
  votes: [
    ...['votes', 'vote count', 'votes count', 'upvotes', 'upvote count', 'up votes', 'score', 'likes', 'total likes'],
    ...['supporters', 'supporters count', 'supporter count', 'voters', 'voters count', 'voter count', 'reactions 1'],
  ],
  status: ['status', 'status name', 'state', 'stage'],
  statusReason: ['state reason', 'resolution', 'close reason'],
  url: ['url', 'html url', 'link', 'permalink', 'portal url', 'public url', 'web url', 'display url', 'source url'],
  author: [
    ...['author', 'author name', 'creator', 'creator name', 'created by', 'created by name', 'user', 'user name'],
    ...['author login', 'user login', 'customer', 'customer name', 'requester', 'reporter', 'submitter', 'from'],
  ],
  authorHandle: [
    ...[
      'email',
      'author email',
      'creator email',
      'created by email',
      'user email',
      'customer email',
      'requester email',
    ],
    ...['username', 'handle', 'author handle', 'login'],
  ],
  createdAt: [
    ...['created at', 'created', 'created timestamp', 'created date', 'creation date', 'created on', 'date'],
    ...['date created', 'submitted at', 'submitted', 'posted at', 'timestamp', 'time'],
  ],
  tags: [
    'tags',
    'labels',
    'tag',
    'label',
    'labels name',
    'tag names',
    'category',
    'category name',
    'board',
    'board name',
  ],
  commentCount: ['comment count', 'comments count', 'number of comments', 'comments'],
}

/** A prefix of a field's name: `suggestion.title`, `Post ID`. */
const subjects = /^(?:suggestion|post|idea|feature|note|issue|ticket|feedback|request|submission|item) (?=.)/

/** Equates `suggestion.created_timestamp`, `createdAt` and `Created At`. */
export const normalised = (column: string): string =>
  column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Maps columns to fields, each at most once: as given, else by name. @param given the file's columns; "": none */
export function mapColumns(columns: readonly string[], given: ColumnMapping): ColumnMapping {
  const mapping: ColumnMapping = { ...given }
  const taken = new Set(Object.values(given))
  const rankOf = (column: string, known: readonly string[]) => {
    const whole = normalised(column)
    const ranks = [whole, whole.replace(subjects, '')].map((name) => known.indexOf(name)).filter((rank) => rank >= 0)
    return ranks.length === 0 ? Infinity : Math.min(...ranks)
  }
  for (const field of importFields) {
    if (mapping[field] !== undefined) continue
    const ranked = columns
      .filter((column) => !taken.has(column))
      .map((column) => ({ column, rank: rankOf(column, names[field]) }))
    const best = ranked.reduce((a, b) => (b.rank < a.rank ? b : a), { column: '', rank: Infinity })
    if (best.rank === Infinity) continue
    mapping[field] = best.column
    taken.add(best.column)
  }
  return Object.fromEntries(Object.entries(mapping).filter(([, column]) => column !== ''))
}
