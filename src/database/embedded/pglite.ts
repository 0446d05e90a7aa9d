import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import { parserInBaseline } from './parser.ts'

// V8 collects WebAssembly code that is not used any more, and sometimes unregisters it twice, which ends the process with "Check failed:
// jit_page_->allocations_.erase(addr) == 1" (https://github.com/nodejs/node/issues/64500). A service needs the same memory without it.
setFlagsFromString('--no-wasm-code-gc')

/**
 * Settings of Postgres, in addition to those of PGlite. The memory of the buffers is never returned; the file cache of the
 * operating system does the rest (decision 030 has the measurements). Triggers read `wishwell.embedded`
 * (`schema/answers.sql`).
 */
const settings = ['shared_buffers=32MB', 'maintenance_work_mem=32MB', 'wishwell.embedded=on']

/** Opens PGlite on a directory, and makes a database there if it is empty. Statements block the calling thread. */
export const openPglite = (directory: string): Promise<PGlite> =>
  PGlite.create(directory, {
    extensions: { pg_textsearch, parserInBaseline },
    startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    // Minimal settings: making a database needs the most memory.
    initDbStartParams: ['--set', 'shared_buffers=1MB', '--set', 'max_connections=10'],
  })
