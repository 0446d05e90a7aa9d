import { expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import { stackexchange } from './settings.ts'
import { statusOfQuestion } from './status.ts'

it.each<[tags: string[], isClosed: boolean, reason: string | null, RequestStatus]>([
  [['feature-request'], false, null, 'open'],
  [['status-completed'], false, null, 'completed'],
  [['status-completed'], true, 'Duplicate', 'completed'],
  [['status-declined'], false, null, 'declined'],
  [['status-declined'], true, 'Opinion-based', 'declined'],
  [['status-planned'], false, null, 'planned'],
  [['status-deferred'], false, null, 'planned'],
  [['status-review'], false, null, 'open'],
  [['status-norepro', 'status-reproduced'], false, null, 'open'],
  [['status-bydesign'], false, null, 'declined'],
  [['status-bydesign', 'status-completed'], false, null, 'completed'],
  [[], true, 'Duplicate', 'duplicate'],
  [[], true, 'exact duplicate', 'duplicate'],
  [[], true, 'Needs more focus', 'closed'],
  [[], true, null, 'closed'],
])('a question with tags %j, closed %s for %s, is %s', (tags, isClosed, reason, status) => {
  expect(statusOfQuestion(tags, { isClosed, reason })).toBe(status)
})

it('stored tags of Stack Exchange tell a decision by themselves', () => {
  expect(stackexchange.statusOfTags!(['feature-request', 'status-declined'])).toBe('declined')
  expect(stackexchange.statusOfTags!(['feature-request'])).toBeNull()
})
