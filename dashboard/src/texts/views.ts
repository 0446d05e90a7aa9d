import { plural, t } from '@lingui/core/macro'
export const viewTexts = {
  saveTitle: t`Save this list as a view`,
  saveChanges: t`Save changes`,
  saveChangesTo: (name: string) => t`Save changes to “${name}”`,
  keeps: (parts: string[]) => t`It keeps: ${parts.join(' · ')}. What it lists is always up to date.`,
  words: (query: string) => t`“${query}”`,
  lastDays: (days: number) => plural(days, { one: 'Asked today', other: 'Asked in the last # days' }),
  order: (name: string) => t`Order: ${name}`,
  name: t`Name`,
  saving: t`Saving …`,
  change: (name: string) => t`Rename or delete “${name}”`,
  changeTitle: t`Rename or delete this view`,
  rename: t`Rename`,
  delete: t`Delete view`,
  saved: (name: string) => t`Saved: “${name}”.`,
  deleted: (name: string) => t`Deleted: “${name}”.`,
  notSaved: t`It could not be saved. Try again.`,
}

export const sharedTexts = {
  sharedUntil: (day: string) => t`Shared until ${day}`,
}
