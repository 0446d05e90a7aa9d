import { describe, expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import { meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'
import { gitlabToPlainText, statusOfIssue } from './post.ts'

// Holds (Jobs): an issue that a bot closed is `closed`, never `completed`

describe('the text of an issue of GitLab', () => {
  it.each([
    ['![shot](/uploads/1/a.png){width=600 height=349}\n\nDark mode, please.', 'Dark mode, please.'],
    ['See [the page](https://x.example){.btn} here.', 'See the page here.'],
    ['[[_TOC_]]\n\nWhy', 'Why'],
    ['[[TOC]]\nWhy', 'Why'],
    ['[TOC]\nWhy', 'Why'],
    ['Please add tabs.\n\n/label ~"type::feature" ~ui\n/cc @ada\n/assign me', 'Please add tabs.'],
    ['/close', ''],
    ['The path /label and {width=1} stay.', 'The path /label and {width=1} stay.'],
    ['/home/ada is full', '/home/ada is full'],
    ['```\n/label ~x\n[[TOC]]\n```', '/label ~x\n[[TOC]]'],
  ])('%j reads as %j', (markdown, text) => {
    expect(gitlabToPlainText(markdown)).toBe(text)
  })
})

describe('the status of an issue of GitLab', () => {
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

  it('labels of GitLab alone tell a plan, and no closing', () => {
    expect(statusWhileOpen(meaningsOfLabels(['workflow::in dev']))).toBe('in_progress')
    expect(statusWhileOpen(meaningsOfLabels(['type::feature', 'workflow::complete']))).toBe('open')
  })
})
