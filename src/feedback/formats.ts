import { type ColumnMapping, normalised } from './columns.ts'

/** Origin of an export; `table` for any other file. */
export const importFormats = ['canny', 'productboard', 'uservoice', 'github', 'reddit', 'table'] as const
export type ImportFormat = (typeof importFormats)[number]

/** Boards of wishes: each row is a feature request, without detection. */
const boards: ReadonlySet<ImportFormat> = new Set(['canny', 'productboard', 'uservoice'])
export const isBoard = (format: ImportFormat): boolean => boards.has(format)

/** Column combinations that occur in one export only. */
const marks: readonly (readonly [ImportFormat, readonly (readonly string[])[]])[] = [
  ['uservoice', [['suggestion id'], ['suggestion title']]],
  ['reddit', [['permalink', 'subreddit', 'gildings']]],
  [
    'github',
    [
      ['number', 'state', 'html url'],
      ['number', 'title', 'state reason'],
      ['number', 'title', 'author login'],
      ['number', 'title', 'reaction groups'],
    ],
  ],
  [
    'canny',
    [
      ['title', 'details', 'score'],
      ['title', 'details', 'board'],
      ['title', 'details', 'board name'],
    ],
  ],
  [
    'productboard',
    [['user impact score'], ['customer importance score'], ['feature name', 'status'], ['feature id', 'feature name']],
  ],
]

/** Columns with another meaning here. Reddit's `url` is what a post links to; others lack its community. */
export const columnsOfFormat: Partial<Record<ImportFormat, ColumnMapping>> = {
  reddit: { url: 'permalink', tags: 'subreddit' },
}

/** The export with these columns. */
export function formatOf(columns: readonly string[]): ImportFormat {
  const known = new Set(columns.map(normalised))
  const [format] = marks.find(([, sets]) => sets.some((set) => set.every((name) => known.has(name)))) ?? []
  return format ?? 'table'
}
