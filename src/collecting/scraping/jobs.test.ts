import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode, TaskState } from '../../database/column-types.ts'
import { statusOf } from './jobs.ts'
import { failureOf } from './task-row.ts'

const task = (state: TaskState, error_code: PlatformErrorCode | null = null) => ({
  state,
  error_code,
  started_at: state === 'pending' ? null : new Date(),
})
/** A task of a platform that was off from the start. */
const off = { ...task('skipped', 'not_configured'), started_at: null }

describe('the status of a job', () => {
  it.each([
    ['pending', [task('pending'), task('pending')]],
    ['pending', [task('pending'), off]],
    ['running', [task('pending'), task('skipped', 'not_configured')]],
    ['running', [task('pending'), off, task('running')]],
    ['completed', [off, task('done')]],
    ['completed', [off, off]],
    ['failed', [off, task('error', 'timeout')]],
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

describe('the failure of a job', () => {
  const expiresAt = new Date('2026-01-01T01:00:00.000Z')
  const failed = (
    platform: 'github' | 'hackernews' | 'x',
    error_code: PlatformErrorCode,
    completed_at = new Date(expiresAt.getTime() - 1),
  ) => ({ platform, error_code, completed_at })
  it.each([
    ['The account cancelled the job.', [failed('github', 'blocked'), failed('x', 'cancelled')]],
    [
      'The time limit of the job was over before any platform was done.',
      [failed('github', 'blocked'), failed('x', 'timeout', expiresAt)],
    ],
    ['The platform failed: x did not accept the credentials (unauthorized).', [failed('x', 'unauthorized')]],
    [
      'Every platform failed: github, hackernews, and x refused the service (blocked).',
      [failed('github', 'blocked'), failed('hackernews', 'blocked'), failed('x', 'blocked')],
    ],
    [
      'Every platform failed: github and x did not answer in time (timeout); hackernews had no quota left (quota_exhausted).',
      [failed('github', 'timeout'), failed('hackernews', 'quota_exhausted'), failed('x', 'timeout')],
    ],
  ])('is one sentence: %s', (sentence, tasks) => {
    expect(failureOf(tasks, expiresAt)).toBe(sentence)
  })
})
