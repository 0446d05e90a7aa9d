import { PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import { parserInBaseline } from './parser.ts'

/**
 * Settings of Postgres, beside those of PGlite. The buffers are memory that is never given back; what they do not hold, the
 * operating system's cache of files does (decision 030 has what was measured).
 */
const settings = ['shared_buffers=32MB', 'maintenance_work_mem=32MB']

/** Opens PGlite on a directory, and makes a database there if it is empty. It blocks its thread for as long as a statement takes. */
export const openPglite = (directory: string): Promise<PGlite> =>
  PGlite.create(directory, {
    extensions: { pg_textsearch, parserInBaseline },
    startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    // A database is made with the least: that is where most memory is needed.
    initDbStartParams: ['--set', 'shared_buffers=1MB', '--set', 'max_connections=10'],
  })
