import { describe, expect, it } from 'vitest'
import type { TaskState } from '../database/tables.ts'
import type { PlatformErrorCode } from '../platforms/platform.ts'
import { statusOf } from './jobs.ts'

const task = (state: TaskState, error_code: PlatformErrorCode | null = null) => ({ state, error_code })

describe('the status of a job', () => {
  it.each([
    ['pending', [task('pending'), task('pending')]],
    ['running', [task('pending'), task('running')]],
    ['running', [task('pending'), task('done')]],
    ['running', [task('error', 'timeout'), task('running')]],
    ['completed', [task('done'), task('done')]],
    ['completed', [task('done'), task('error', 'blocked'), task('skipped', 'not_configured')]],
    ['completed', [task('skipped', 'not_configured'), task('skipped', 'quota_exhausted')]],
    ['failed', [task('error', 'timeout'), task('error', 'blocked')]],
    ['failed', [task('error', 'timeout'), task('skipped', 'not_configured')]],
    ['failed', [task('skipped', 'cancelled'), task('skipped', 'cancelled')]],
  ] as const)('is %s', (status, tasks) => {
    expect(statusOf(tasks)).toBe(status)
  })
})
