import type { RequestStatus } from '../../database/column-types.ts'
import type { Mark } from '../marks/marks.ts'

// Every text of the page in one language: another one is another object of this form.

const number = new Intl.NumberFormat('en')
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const counted = (count: number, one: string, many = `${one}s`) => `${number.format(count)} ${count === 1 ? one : many}`
const date = (moment: string | Date) => day.format(new Date(moment))

const statuses: Record<RequestStatus, string> = {
  open: 'open',
  planned: 'planned',
  in_progress: 'in progress',
  completed: 'completed',
  declined: 'declined',
  duplicate: 'duplicate',
  closed: 'closed',
}

const marks: Record<Mark, string> = {
  planned: 'Marked as planned',
  done: 'Marked as done',
  ignored: 'Marked as ignored',
}

export const english = {
  language: 'en',
  date,
  votes: (count: number) => counted(count, 'vote'),
  votesOf: (count: number, what: string) => `${counted(count, 'vote')} (${what})`,
  requests: (count: number) => counted(count, 'request'),
  status: (status: RequestStatus) => statuses[status],
  withoutStatus: 'without a status',
  mark: (mark: Mark) => marks[mark],
  note: 'Note',
  asked: (first: string, last: string) => `First asked for on ${date(first)}, last on ${date(last)}.`,
  posted: (growth: { days7: number; days30: number }) =>
    `${counted(growth.days7, 'new request')} in 7 days, ${number.format(growth.days30)} in 30.`,
  topic: 'Topic',
  search: (query: string) => `Wishes about “${query}”`,
  list: 'Wishes',
  mostWanted: 'Most wanted',
  noWishes: 'There is no such wish at the moment.',
  timeline: (from: string, to: string, most: number) =>
    `When they were posted, from ${month.format(new Date(from))} to ${month.format(new Date(to))}: at most ${counted(most, 'request')} in one bar.`,
  untitled: (platforms: string) => `A wish on ${platforms}`,
  onlyLinks: (platform: string) => `Only links are shown for ${platform}.`,
  post: (at: number) => `Post ${number.format(at)}`,
  source: (platform: string) => `Open on ${platform}`,
  terms: (platform: string) => `Terms of ${platform}`,
  titleFrom: 'Title from',
  unknownAuthor: 'unknown author',
  beginning: '(the beginning of the text)',
  mostVoted: (shown: number) => `The ${number.format(shown)} most voted requests are shown.`,
  made: 'Shared with Wishwell, to read only. Texts belong to their authors.',
  until: (expires: Date) => `This address works until ${date(expires)}, unless it is revoked before.`,
  removal: 'To have a post removed or get a copy:',
  unknown: {
    title: 'There is nothing at this address',
    sentence: 'The link is not complete, has expired or was revoked, or what it showed is gone.',
  },
  tooMany: { title: 'Too many tries', sentence: 'Please wait a minute, then open the address again.' },
  failed: {
    title: 'That did not work',
    sentence: 'Something went wrong on our side. Please open the address again in a few minutes.',
  },
}

export type Texts = typeof english
