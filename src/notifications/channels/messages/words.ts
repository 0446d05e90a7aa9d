/** A title as it is shown where one is missing. */
export const untitled = 'Untitled'

/** An id in the subject of an event; null for none. */
export const idIn = (subject: Readonly<Record<string, string | number | null>>, name: string): string | null => {
  const value = subject[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export const numberIn = (subject: Readonly<Record<string, string | number | null>>, name: string): number => {
  const value = subject[name]
  return typeof value === 'number' ? value : 0
}

const statusWords: Readonly<Record<string, string>> = { in_progress: 'in progress' }

export const statusLabel = (status: string | null): string =>
  status === null ? 'without a status' : (statusWords[status] ?? status.replaceAll('_', ' '))
