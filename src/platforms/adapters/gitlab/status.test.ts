import { expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import { gitlab } from './settings.ts'
import { statusOfIssue } from './status.ts'

const open = { isClosed: false, isDuplicate: false, isMoved: false, labels: [] as string[] }
const closed = { ...open, isClosed: true }

it.each<[Partial<typeof open>, RequestStatus]>([
  [open, 'open'],
  [{ ...open, labels: ['type::feature', 'workflow::complete', 'duplicate'] }, 'open'],
  [{ ...open, labels: ['workflow::planning breakdown'] }, 'planned'],
  [{ ...open, labels: ['workflow::scheduling'] }, 'planned'],
  [{ ...open, labels: ['planned'] }, 'planned'],
  [{ ...open, labels: ['workflow::in dev'] }, 'in_progress'],
  [{ ...open, labels: ['workflow::in review'] }, 'in_progress'],
  [{ ...open, labels: ['workflow::verification'] }, 'in_progress'],
  [closed, 'closed'],
  [{ ...closed, labels: ['workflow::verification'] }, 'closed'],
  [{ ...closed, labels: ['workflow::complete'] }, 'completed'],
  [{ ...closed, labels: ['Done'] }, 'completed'],
  [{ ...closed, labels: ['done', 'auto-closed'] }, 'closed'],
  [{ ...closed, labels: ['done', 'awaiting feedback'] }, 'closed'],
  [{ ...closed, labels: ['wontfix'] }, 'declined'],
  [{ ...closed, labels: ['declined'] }, 'declined'],
  [{ ...closed, isDuplicate: true, labels: ['done'] }, 'duplicate'],
  [{ ...closed, labels: ['duplicate'] }, 'duplicate'],
  [{ ...closed, isMoved: true, labels: ['done'] }, 'closed'],
])('an issue of GitLab that is %j is %s', (state, status) => {
  expect(statusOfIssue({ ...open, ...state })).toBe(status)
})

it('stored labels of GitLab alone tell a plan, and no closing', () => {
  expect(gitlab.statusOfTags!(['workflow::in dev'])).toBe('in_progress')
  expect(gitlab.statusOfTags!(['type::feature', 'workflow::complete'])).toBeNull()
})
