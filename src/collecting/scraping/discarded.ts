import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { type Discarded, discardReasons } from '../../database/column-types.ts'

/** The column `discarded` of a task with the counts of one more page. */
export const withAdded = (counts: Discarded): RawBuilder<string> =>
  Object.keys(counts).length === 0
    ? sql`discarded`
    : sql`(
        select jsonb_object_agg(reason, total)
        from (
          select reason, sum(count::integer) as total
          from (
            select * from jsonb_each_text(discarded) as before (reason, count)
            union all
            select * from jsonb_each_text(${JSON.stringify(counts)}::jsonb) as page (reason, count)
          ) as counts
          group by reason
        ) as totals
      )`

/** What `discarded` is in the API. */
export const discardedSchema = Type.Object(
  Object.fromEntries(discardReasons.map((reason) => [reason, Type.Optional(Type.Integer({ minimum: 1 }))])),
  {
    additionalProperties: false,
    description:
      'How many items of its pages were left out, by reason: not about the topic, without text, a reply, not public, removed. Absent reasons are zero.',
  },
)
