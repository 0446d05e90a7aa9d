import { expect, it } from 'vitest'
import type { RequestStatus } from '../../database/column-types.ts'
import { statusOfTags } from './stored-status.ts'

it.each<[platform: string, tags: string[], RequestStatus | null]>([
  ['github', ['enhancement'], 'open'],
  ['github', ['enhancement', 'status: planned'], 'planned'],
  ['gitlab', ['type::feature', 'workflow::in dev'], 'in_progress'],
  ['gitlab', [], 'open'],
  ['discourse', ['Planned'], 'planned'],
  ['discourse', ['ui'], null],
  ['stackexchange', ['feature-request', 'status-declined'], 'declined'],
  ['stackexchange', ['feature-request'], null],
  ['hackernews', ['planned'], null],
  ['unknown', ['planned'], null],
])('a stored request of %s with the tags %j is %s', (platform, tags, status) => {
  expect(statusOfTags(platform, tags)).toBe(status)
})
