import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../src/database/open.ts'

type Open = (options: DatabaseOptions) => Promise<OpenDatabase>

/** Opens a database whose statements are watched. @param onStatement called after each one with its SQL; what it throws reaches the caller of the statement. */
export const watched =
  (onStatement: DatabaseOptions['onStatement'], open: Open = openDatabase): Open =>
  (options) =>
    open({ ...options, onStatement })
