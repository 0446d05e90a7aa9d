import { number, plural } from '../shell/format.ts'

export const purgeTexts = {
  title: 'Delete requests',
  intro:
    'What is deleted is gone from searches, lists, topics, wishes and shared pages at once. Credits and counts of jobs stay.',
  what: 'Whose or which',
  kinds: {
    author: 'All of an author',
    url: 'The one at an address',
    olderThanDays: 'What was not refreshed for so many days',
    platform: 'Everything of a platform',
  },
  labels: {
    author: 'Handle, whole name or address of the profile',
    url: 'Address of the request',
    olderThanDays: 'Days',
    platform: 'Platform',
  },
  onlyFrom: 'Only from',
  anyPlatform: 'all platforms',
  look: 'See what would be deleted',
  looking: 'Looking …',
  nameFault: 'Say what is to be deleted.',
  dialog: 'Delete these requests?',
  matched: (count: number) =>
    count === 0 ? 'Nothing that is stored fits.' : `${plural(count, 'request')} will be deleted.`,
  ofPlatform: (platform: string, count: number) => `${platform}: ${number(count)}`,
  more: (count: number) => `and ${number(count)} more`,
  suppressed: {
    author: 'Nothing of this author is stored again.',
    url: 'It is not stored again.',
    olderThanDays: 'A later collection may store them again.',
    platform: 'A later collection may store them again.',
  },
  forGood: 'This cannot be undone.',
  typeName: (name: string) => `Type ${name} to go on`,
  confirm: (count: number) => (count === 0 ? 'Keep it out' : `Delete ${plural(count, 'request')}`),
  deleting: 'Deleting …',
  cancel: 'Cancel',
  deleted: (count: number) => `${plural(count, 'request')} deleted.`,
  lift: (purgeId: string) => `To store it again later, lift the purge ${purgeId}.`,
}
