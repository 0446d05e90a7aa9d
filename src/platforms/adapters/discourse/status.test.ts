import { expect, it } from 'vitest'
import { discourseStatus, discourseStatusOfTags } from './status.ts'

const open = { closed: false, archived: false }

it.each([
  [open, 'open'],
  [{ ...open, closed: true }, 'closed'],
  [{ ...open, archived: true }, 'closed'],
  // The plugin "solved" closes topics by itself; an answer fulfils no wish.
  [{ ...open, has_accepted_answer: true }, 'open'],
  [{ ...open, closed: true, has_accepted_answer: true }, 'closed'],
  [{ ...open, tags: ['planned'] }, 'planned'],
  [{ ...open, tags: [{ id: 3, name: 'in-progress', slug: 'in-progress' }] }, 'in_progress'],
  [{ ...open, tags: ['ui', null, 7, 'completed'] }, 'completed'],
  [{ ...open, closed: true, tags: ['implemented'] }, 'completed'],
  [{ ...open, archived: true, tags: ['released'] }, 'completed'],
  [{ ...open, closed: true, tags: ['declined'] }, 'declined'],
  [{ ...open, closed: true, tags: ['duplicate'] }, 'duplicate'],
  [{ ...open, closed: true, tags: ['accepted'] }, 'planned'],
  [{ ...open, tags: ['planned', 'in-progress', 'completed'] }, 'completed'],
  [{ ...open, tags: 'planned' }, 'open'],
  [{ tags: ['planned'] }, 'planned'],
  [{}, null],
  [{ closed: 'yes' }, null],
])('the status of the topic %j is %s', (topic, status) => {
  expect(discourseStatus(topic)).toBe(status)
})

it.each([
  [[], null],
  [['ui', 'theme'], null],
  [['Status: Planned'], 'planned'],
  [['status-wont-do'], 'declined'],
  [["won't do"], 'declined'],
  [['wont_fix'], 'declined'],
  [['In Progress'], 'in_progress'],
  [['On-Roadmap'], 'planned'],
  [['incomplete'], null],
  [['not-planned', 'planned'], 'declined'],
])('the tags %j say %s', (tags, status) => {
  expect(discourseStatusOfTags(tags)).toBe(status)
})
