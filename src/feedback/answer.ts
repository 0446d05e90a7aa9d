import { Type } from 'typebox'
import { requestStatuses } from '../database/column-types.ts'
import { named } from '../http/openapi-components.ts'
import { closed, formedText, moment, nullable, oneOf } from '../http/schemas.ts'
import type { CheckedFile, OpenedFile } from './file.ts'
import { importFormats } from './formats.ts'
import { nameForm, namePattern } from './names.ts'

// An import in answers.

export const name = formedText(namePattern, nameForm, {
  description: 'What it is called: lower case letters, digits and hyphens',
})
const counts = {
  created: Type.Integer({ description: 'Asks that are new' }),
  updated: Type.Integer({ description: 'Asks that were imported before and say something else now' }),
  unchanged: Type.Integer(),
  suppressed: Type.Integer({ description: 'Asks that were purged, or whose author was: they are not stored again' }),
  notLikely: Type.Integer({ description: 'New asks that are no likely requests: lists need `include=all` for them' }),
}

const unindexed = Type.Integer({
  description: 'Asks that a search by words does not find yet: those of a file of thousands follow within minutes',
})

export const importAnswer = closed(
  {
    name,
    format: oneOf(importFormats),
    columns: Type.Record(Type.String(), Type.String(), { description: 'The column that each field was read from' }),
    unused: Type.Array(Type.String(), { description: 'Columns that are no field' }),
    rows: Type.Integer(),
    asks: Type.Integer({ description: 'Rows with an ask, each id once' }),
    repeated: Type.Integer({ description: 'Rows with the id of a row before them, which they replace' }),
    leftOut: closed(
      {
        noText: Type.Integer(),
        removed: Type.Integer({ description: 'Deleted where they were posted' }),
        pullRequest: Type.Integer(),
      },
      { description: 'Rows that are no ask' },
    ),
    undated: Type.Integer({ description: 'Rows with an ask without a date' }),
    unstorable: Type.Integer({
      description: 'Rows with NUL or half of a surrogate pair in a field: neither can be stored, so both are removed',
    }),
    unknownStatuses: closed(
      { rows: Type.Integer(), words: Type.Array(Type.String(), { description: 'The first ten' }) },
      { description: 'Words for a status that are not understood: their asks have none' },
    ),
    areRequests: Type.Boolean(),
    stored: nullable(closed({ ...counts, unindexed }, { description: 'null after a dry run' })),
    sample: Type.Array(
      closed({
        title: Type.String(),
        description: Type.String(),
        votes: Type.Integer(),
        status: nullable(oneOf(requestStatuses)),
        author: nullable(Type.String()),
        createdAt: nullable(moment('When it was posted')),
      }),
      { description: 'The first five, as they are stored' },
    ),
  },
  named('ImportResult'),
)

export const importSummary = closed({
  name,
  asks: Type.Integer({ description: 'How many it has' }),
  unindexed,
  importedAt: moment('When something was last imported'),
})

/** A file's description in answers. */
export const describeFile = (
  { name: { name }, format, mapping, unused, areRequests }: OpenedFile,
  { errors: _errors, wrongRows: _wrongRows, ...checked }: CheckedFile,
) => ({
  ...{ ...checked, name, format, unused },
  columns: mapping as Record<string, string>,
  leftOut: { noText: 0, removed: 0, pullRequest: 0, ...checked.leftOut },
  areRequests,
  sample: checked.sample.map(({ title, description, votes, status, authorName, authorHandle, originalCreatedAt }) => ({
    title,
    description: description.slice(0, 300),
    votes,
    status,
    author: authorName ?? authorHandle,
    createdAt: originalCreatedAt?.toISOString() ?? null,
  })),
})
