import { plural, t } from '@lingui/core/macro'
import './messages.ts'

export const shareTexts = {
  title: t`Share a page`,
  intro: t`Anyone with the link can read this page, and nothing else. It is hidden from search engines.`,
  name: t`Title on the page`,
  namePlaceholder: t`optional`,
  expires: t`Expires in`,
  inDays: (days: number) => (days === 365 ? t`1 year` : plural(days, { one: '# day', other: '# days' })),
  withNotes: t`Include your notes`,
  make: t`Create the page`,
  making: t`Creating …`,
  made: (until: string) => t`Copy the address now: it is shown only once. It works until ${until}.`,
  another: t`Create another page`,
  copy: t`Copy the address`,
  manage: t`All shared pages`,
  list: t`Sharing`,
  listIntro: t`Pages that anyone with the link can read. Deleted requests disappear from them at once.`,
  none: t`Nothing is shared. To share a wish, a topic or a search, press Share on its page.`,
  goneWish: t`A wish that is gone`,
  brief: t`A brief`,
  sharedOn: (day: string, person: string | null) =>
    person === null ? t`shared on ${day}` : t`shared on ${day} by ${person}`,
  until: (day: string) => t`until ${day}`,
  neverOpened: t`never opened`,
  openedOn: (day: string) => t`last opened on ${day}`,
  hasNotes: t`with notes`,
  revoke: t`Revoke`,
  revokeLabel: (name: string) => t`Revoke the page of ${name}`,
  revokeQuestion: t`Revoke it? Nobody will be able to read it.`,
  revokeConfirm: t`Yes, revoke it`,
}
