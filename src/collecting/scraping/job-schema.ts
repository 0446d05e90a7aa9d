import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { discardReasons, type TaskState } from '../../database/column-types.ts'
import { named } from '../../http/openapi-components.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'
import { anyPlatform, platformErrorCode } from '../../platforms/schemas.ts'
import { jobStatuses } from './jobs.ts'
import type { TaskRow } from './task-row.ts'

/** A task's `discarded`, plus the counts of another page. */
export const withAdded = (counts: TaskRow['discarded']): RawBuilder<string> =>
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

const discardedSchema = Type.Object(
  Object.fromEntries(discardReasons.map((reason) => [reason, Type.Optional(Type.Integer({ minimum: 1 }))])),
  {
    additionalProperties: false,
    description:
      'How many items of its pages were left out, by reason: not about the topic, without text, a reply, not public, removed, beyond what is read of one answer. Absent reasons are zero.',
  },
)

const taskStates: TaskState[] = ['pending', 'running', 'done', 'error', 'skipped']

export const jobProblems = Type.Array(
  closed({ platform: anyPlatform, code: platformErrorCode, message: Type.String() }),
  { description: 'Why platforms ended in error, were skipped, or delivered without some of their sources' },
)

export const jobSchema = closed(
  {
    jobId: Type.String(),
    status: oneOf(jobStatuses),
    error: nullable(
      Type.String({ description: 'What went wrong, in one sentence; null unless the status is `failed`' }),
    ),
    topic: Type.String(),
    platforms: Type.Array(anyPlatform),
    depth: Type.Integer({ description: 'Pages per platform' }),
    progress: Type.Record(Type.String(), oneOf(taskStates), { description: 'The state of each platform of the job' }),
    requestsCreated: Type.Integer({
      description:
        'Likely feature requests about the topic that were new to the cache, or visible to all for the first time',
    }),
    maybeCreated: Type.Integer({
      description: 'Requests about the topic that were new to the cache and may be feature requests',
    }),
    tasks: Type.Array(
      closed(
        {
          platform: anyPlatform,
          pages: Type.Integer({ description: 'Pages that were stored' }),
          requestsFound: Type.Integer({ description: 'Requests on these pages, new or known' }),
          requestsCreated: Type.Integer(),
          maybeCreated: Type.Integer(),
          discarded: discardedSchema,
          undated: Type.Optional(
            Type.Integer({
              description: 'Requests of its pages that have no date, or none that can be read; absent for zero',
            }),
          ),
        },
        named('TaskResult'),
      ),
      { description: 'What each platform of the job has delivered, in the order of `platforms`' },
    ),
    sources: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'The sources that its caller named, normalised, by platform; absent when none was named',
      }),
    ),
    sourcesNotReached: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description:
          'Those of them of which no page was fetched, because the depth was too small, the platform ended early or the source failed; absent when there are none',
      }),
    ),
    startedAt: nullable(moment('When the first platform was begun')),
    completedAt: nullable(moment('When the last platform ended')),
    errors: Type.Optional(jobProblems),
    waiting: Type.Optional(
      Type.Array(
        closed({
          platform: anyPlatform,
          code: platformErrorCode,
          message: Type.String(),
          until: nullable(moment('When it is called again; null during the call')),
        }),
        {
          description:
            'Why running platforms wait or try again: a limit, or the failure of their last try; absent when none does',
        },
      ),
    ),
    credits: closed({
      held: Type.Integer({ description: 'What it holds until it ends' }),
      settled: Type.Integer({ description: 'What it was charged' }),
    }),
    startedBy: closed(
      {
        keyId: nullable(Type.String()),
        keyName: nullable(Type.String()),
        personName: nullable(
          Type.String({ description: 'Who signed in, by the name that the link, or the access token, has' }),
        ),
        watchId: nullable(Type.String({ description: 'The watch whose run it is' })),
        watchName: nullable(Type.String({ description: 'Null once it is deleted' })),
      },
      {
        description: 'Without a key: somebody on the page, after a sign-in by a link; or a job that had nothing to pay',
      },
    ),
  },
  named('Job'),
)
