import { type Static, type TObject, Type } from 'typebox'
import { duration } from '../../runtime/duration.ts'
import type { RunningJobs } from './queue.ts'

const runningJobs = (plan: string, limit: number) =>
  Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: limit,
    description: `how many jobs of an account of the ${plan} plan run at a time; further ones stay \`pending\``,
  })

/** Environment variables of jobs: part of the schema in `config.ts`, which alone reads them. */
export const jobVariables = {
  JOB_TIME_LIMIT_MINUTES: duration(
    { bareUnit: 'm', minimum: '1m', maximum: '7d' },
    '6h',
    'time limit of a scrape job from its start, waiting included; unfinished platforms then end as `timeout`',
  ),
  RUNNING_JOBS_FREE: runningJobs('free', 2),
  RUNNING_JOBS_PRO: runningJobs('pro', 5),
  RUNNING_JOBS_MAX: runningJobs('max', 10),
}

export type JobEnvironment = Static<TObject<typeof jobVariables>>

export type JobConfig = ReturnType<typeof readJobConfig>

/** Reads the job variables. */
export const readJobConfig = (environment: JobEnvironment) => ({
  jobTimeLimitMs: environment.JOB_TIME_LIMIT_MINUTES,
  runningJobs: {
    free: environment.RUNNING_JOBS_FREE,
    pro: environment.RUNNING_JOBS_PRO,
    max: environment.RUNNING_JOBS_MAX,
  } satisfies RunningJobs,
})
