/** Format of a name, for people and JSON Schema. */
export const namePattern = '^[a-z0-9][a-z0-9-]{0,39}$'
export const nameForm = 'lower case letters, digits and hyphens, at most 40'

export interface ImportName {
  owner: string
  name: string
  /** Its name in `account_sources` and `request_sources`, for visibility; null for an operator's import for all. */
  source: string | null
}

/** @param accountId null for the operator */
export const importName = (accountId: string | null, name: string): ImportName => ({
  owner: accountId ?? 'operator',
  name,
  source: accountId === null ? null : `${accountId}/${name}`,
})

/** A name from a file's: `Feature requests (May).csv` to `feature-requests-may`. */
export function nameOfFile(file: string): string {
  const base = file.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '')
  const name = base
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return name === '' ? 'import' : name
}
