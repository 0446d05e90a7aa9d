/** The log of changes that search engines outside of the database follow. */
export const searchOutbox: readonly string[] = []
