import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import { number } from '../../shell/format.ts'

export const purgeTexts = {
  title: t`Delete requests`,
  intro: t`What is deleted is gone from searches, lists, topics, wishes and shared pages at once. Credits and counts of jobs stay.`,
  what: t`What to delete`,
  kinds: {
    author: t`Everything by an author`,
    url: t`The request at an address`,
    olderThanDays: t`What was not refreshed for a number of days`,
    platform: t`Everything from a platform`,
  },
  labels: {
    author: t`Handle, full name or profile address`,
    url: t`Address of the request`,
    olderThanDays: t`Days`,
    platform: t`Platform`,
  },
  onlyFrom: t`Only from`,
  anyPlatform: t`all platforms`,
  look: t`See what would be deleted`,
  looking: t`Looking …`,
  nameFault: t`Say what to delete.`,
  dialog: t`Delete these requests?`,
  matched: (count: number) =>
    count === 0
      ? t`Nothing stored matches.`
      : plural(count, { one: '# request will be deleted.', other: '# requests will be deleted.' }),
  ofPlatform: (platform: string, count: number) => `${platform}: ${number(count)}`,
  more: (count: number) => t`and ${number(count)} more`,
  suppressed: {
    author: t`Nothing by this author will be stored again.`,
    url: t`It will not be stored again.`,
    olderThanDays: t`A later collection may store them again.`,
    platform: t`A later collection may store them again.`,
  },
  forGood: t`This cannot be undone.`,
  typeName: (name: string) => t`Type ${name} to continue`,
  confirm: (count: number) =>
    count === 0 ? t`Keep it out` : plural(count, { one: 'Delete # request', other: 'Delete # requests' }),
  deleting: t`Deleting …`,
  cancel: t`Cancel`,
  deleted: (count: number) => plural(count, { one: '# request deleted.', other: '# requests deleted.' }),
  lift: (purgeId: string) => t`To store it again later, lift the purge ${purgeId}.`,
}
