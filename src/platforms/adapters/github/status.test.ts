import { describe, expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import { meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'
import { statusOfIssue } from './post.ts'

// Holds (Jobs): an issue that a bot closed is `closed`, never `completed`

describe('the status of an issue of GitHub', () => {
  it.each<[isClosed: boolean, reason: string | null, labels: string[], RequestStatus]>([
    [false, null, [], 'open'],
    [false, 'reopened', ['enhancement', 'area: roadmap view', 'planned outage'], 'open'],
    [false, null, ['Stale'], 'open'],
    [false, null, ['planned'], 'planned'],
    [false, null, ['status: planned'], 'planned'],
    [false, null, ['Accepted'], 'planned'],
    [false, null, ['on-roadmap'], 'planned'],
    [false, null, ['backlog'], 'planned'],
    [false, null, ['Status: In Progress', 'planned'], 'in_progress'],
    [false, null, ['WIP'], 'in_progress'],
    [false, null, ["won't fix"], 'declined'],
    [true, 'completed', [], 'completed'],
    [true, 'completed', ['in progress'], 'completed'],
    [true, 'resolved', [], 'completed'],
    [true, 'outdated', [], 'closed'],
    [true, 'completed', ['Stale'], 'closed'],
    [true, 'completed', ['lifecycle/rotten'], 'closed'],
    [true, 'completed', ['no-issue-activity'], 'closed'],
    [true, 'completed', ['status: markedForAutoClose'], 'closed'],
    [true, 'completed', ['auto-closed'], 'closed'],
    [true, 'completed', ['closed: stale'], 'closed'],
    [true, 'completed', ['closed-for-staleness'], 'closed'],
    [true, 'completed', ['staled'], 'closed'],
    [true, 'completed', ['stalebot'], 'closed'],
    [true, 'completed', ['stale-90d'], 'closed'],
    [true, 'completed', ['automatically closed'], 'closed'],
    [true, 'completed', ['bot-closed'], 'closed'],
    [true, 'completed', ['closed: no response'], 'closed'],
    [true, 'completed', ['duplicate issue'], 'duplicate'],
    [true, null, ['dupe'], 'duplicate'],
    [true, 'completed', ['bug: stale cache', 'not-stale'], 'completed'],
    [true, 'not_planned', [], 'declined'],
    [true, 'not_planned', ['stale'], 'closed'],
    [true, 'not_planned', ['inactive'], 'closed'],
    [true, null, [], 'closed'],
    [true, null, ['stale'], 'closed'],
    [true, null, ['implemented'], 'completed'],
    [true, null, ['status: released'], 'completed'],
    [true, null, ['Done'], 'completed'],
    [true, null, ['shipped'], 'completed'],
    [true, null, ['shipped', 'Stale'], 'closed'],
    [true, null, ['done', 'wontfix'], 'declined'],
    [true, 'outdated', ['done'], 'closed'],
    [true, null, ['wontfix'], 'declined'],
    [true, 'completed', ['resolution: out-of-scope'], 'declined'],
    [true, null, ['rejected'], 'declined'],
    [true, 'duplicate', [], 'duplicate'],
    [true, 'duplicate', ['stale'], 'duplicate'],
    [true, 'not_planned', ['duplicate'], 'duplicate'],
    [false, null, ['duplicate'], 'open'],
    [true, 'something new', [], 'closed'],
  ])('closed %s, reason %s, labels %j: %s', (isClosed, reason, labels, status) => {
    expect(statusOfIssue({ isClosed, reason, labels })).toBe(status)
  })

  it.each<[string[], RequestStatus]>([
    [[], 'open'],
    [['enhancement', 'duplicate', 'done', 'stale'], 'open'],
    [['planned'], 'planned'],
    [['in progress'], 'in_progress'],
    [['wontfix'], 'declined'],
  ])('labels %j alone tell %s', (tags, status) => {
    expect(statusWhileOpen(meaningsOfLabels(tags))).toBe(status)
  })
})
