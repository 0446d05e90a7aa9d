import { Type } from 'typebox'
import type { TaskState } from '../database/tables.ts'
import { closed, moment, nullable, oneOf } from '../http/schemas.ts'
import { type PlatformName, platformErrorCodes } from '../platforms/platform.ts'
import { jobStatuses } from './jobs.ts'

const taskStates: TaskState[] = ['pending', 'running', 'done', 'error', 'skipped']

/** Any platform, also one that is not on any more. */
export const anyPlatform = Type.Unsafe<PlatformName>({ type: 'string' })

/** A job as its account sees it. */
export const jobSchema = closed({
  jobId: Type.String(),
  status: oneOf(jobStatuses),
  topic: Type.String(),
  platforms: Type.Array(anyPlatform),
  depth: Type.Integer({ description: 'Pages per platform' }),
  progress: Type.Record(Type.String(), oneOf(taskStates), { description: 'The state of each platform of the job' }),
  requestsCreated: Type.Integer({ description: 'Requests that were new to the cache' }),
  startedAt: nullable(moment('When the first platform was begun')),
  completedAt: nullable(moment('When the last platform ended')),
  errors: Type.Optional(
    Type.Array(closed({ platform: anyPlatform, code: oneOf(platformErrorCodes), message: Type.String() }), {
      description: 'Why platforms ended in error or were skipped; absent when none did',
    }),
  ),
})
