export const viewTexts = {
  save: 'Save view',
  saveTitle: 'Save this list as a view',
  saveChanges: 'Save changes',
  saveChangesTo: (name: string) => `Save changes to “${name}”`,
  keeps: (parts: string[]) => `It keeps: ${parts.join(' · ')}. What it lists is always up to date.`,
  words: (query: string) => `“${query}”`,
  lastDays: (days: number) => (days === 1 ? 'Asked today' : `Asked in the last ${days} days`),
  order: (name: string) => `Order: ${name}`,
  name: 'Name',
  saving: 'Saving …',
  change: (name: string) => `Rename or delete “${name}”`,
  changeTitle: 'Rename or delete this view',
  rename: 'Rename',
  delete: 'Delete view',
  saved: (name: string) => `Saved: “${name}”.`,
  deleted: (name: string) => `Deleted: “${name}”.`,
  notSaved: 'It could not be saved. Try again.',
}

export const sharedTexts = {
  sharedUntil: (day: string) => `Shared until ${day}`,
  another: 'Make another page',
}
