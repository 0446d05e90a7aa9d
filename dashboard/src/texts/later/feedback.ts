import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import type { ImportResult } from '../../api/types.ts'
import { conjunction, number } from '../../shell/format.ts'

const asks = (count: number) => plural(count, { one: '# ask', other: '# asks' })

const products: Record<Exclude<ImportResult['format'], 'table'>, string> = {
  canny: 'Canny',
  productboard: 'Productboard',
  uservoice: 'UserVoice',
  github: 'GitHub',
  reddit: 'Reddit',
}

/** What a file has, and what of it is no ask. */
function found({
  format,
  rows,
  asks: count,
  repeated,
  leftOut,
  undated,
  unstorable,
  unknownStatuses,
}: ImportResult): string {
  const left = [
    ...(repeated > 0 ? [plural(repeated, { one: '# repeats another', other: '# repeat others' })] : []),
    ...(leftOut.noText > 0 ? [t`${number(leftOut.noText)} without text`] : []),
    ...(leftOut.removed > 0 ? [t`${number(leftOut.removed)} removed where they were posted`] : []),
    ...(leftOut.pullRequest > 0
      ? [plural(leftOut.pullRequest, { one: '# pull request', other: '# pull requests' })]
      : []),
  ]
  const inAll = plural(rows, { one: '# row', other: '# rows' })
  const what = format === 'table' ? t`${inAll}, ${asks(count)}.` : t`${inAll} of ${products[format]}, ${asks(count)}.`
  return [
    left.length === 0 ? what : t`${what} Left out: ${conjunction(left)}.`,
    ...(undated > 0 ? [t`Without a date: ${number(undated)}.`] : []),
    ...(unstorable > 0
      ? [t`With characters that cannot be stored (NUL, halves of others) and are removed: ${number(unstorable)}.`]
      : []),
    ...(unknownStatuses.rows > 0
      ? [t`Not understood as a status: ${unknownStatuses.words.join(', ')} (${number(unknownStatuses.rows)}).`]
      : []),
  ].join(' ')
}

export const feedbackTexts = {
  title: t`Import feedback`,
  intro: t`Your own feedback beside what is public: from your board, your tracker, your inbox. Only your account sees it, and it costs nothing.`,
  toCollect: t`Collect from platforms`,
  choose: t`A file`,
  chooseIntro: t`An export of Canny, Productboard, UserVoice, GitHub issues or Reddit, or any table with a title or a text. It is checked first: nothing is stored until you say so. The same file again updates what it imported.`,
  file: t`CSV, JSON Lines or JSON; choose it, or drop it here`,
  checking: t`Checking …`,
  importing: t`Importing …`,
  imported: (
    name: string,
    { created, updated, unchanged, suppressed, notLikely, unindexed }: NonNullable<ImportResult['stored']>,
  ) => {
    const counts = [
      t`${number(created)} new`,
      t`${number(updated)} updated`,
      t`${number(unchanged)} unchanged`,
      ...(suppressed > 0 ? [t`${number(suppressed)} deleted before and left out`] : []),
    ]
    const imported = t`Imported as import:${name}: ${conjunction(counts)}.`
    return [
      imported,
      ...(notLikely > 0
        ? [
            t`New ones that are not likely requests, which lists leave out: ${number(notLikely)}. If they are, import the file again with “Each row is a feature request”.`,
          ]
        : []),
      ...(unindexed > 0 ? [t`Searches by words find them within minutes.`] : []),
    ].join(' ')
  },
  found,
  name: t`Name`,
  nameForm: t`Lower case letters, digits and hyphens`,
  nameNote: (name: string) => t`Shown as import:${name}. A name that is there already is updated.`,
  columns: t`Columns`,
  noColumn: t`(none)`,
  fields: {
    title: t`Title`,
    description: t`Text`,
    votes: t`Votes`,
    status: t`Status`,
    author: t`Author`,
    authorHandle: t`Address of the author`,
    createdAt: t`Date`,
    tags: t`Tags`,
    url: t`Link`,
    id: t`Id`,
  },
  areRequests: t`Each row is a feature request`,
  sample: t`The first of them, as they are stored`,
  import: (count: number) => t`Import ${asks(count)}`,
  imports: t`Imports`,
  none: t`Nothing is imported yet.`,
  asks,
  unindexed: (count: number) => t`${number(count)} not searched yet`,
  delete: t`Delete`,
  deleteLabel: (name: string) => t`Delete import:${name}`,
  deleteQuestion: (count: number) => t`Delete it with its ${asks(count)}?`,
  deleteConfirm: t`Yes, delete it`,
}
