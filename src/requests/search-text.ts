// STUB of the lead, to be replaced
export const searchTextOf = (r: {
  title: string
  description: string
  tags: string[]
  authorName: string | null
  authorHandle: string | null
}): string =>
  [r.title, r.title, r.title, r.description, ...r.tags, r.authorName ?? '', r.authorHandle ?? '']
    .join(' ')
    .replace(/[\p{P}\p{S}]/gu, ' ')
