import { setFlagsFromString } from 'node:v8'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'

/** The used part of PGlite's WebAssembly module: the exports of C functions have a leading underscore. */
interface PostgresModule {
  onRuntimeInitialized(): void
  stackSave(): number
  stackRestore(pointer: number): void
  _strlen(text: number): number
  _raw_parser(text: number, mode: number): number
}

/** Behind the end of any memory: reading there traps. */
const nowhere = -1

function trap(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') return
    throw error
  }
  throw new Error('A read behind the end of the memory of the embedded database did not fail.')
}

/**
 * Keeps the SQL parser (`raw_parser`, one function of 100 kB) out of V8's optimizing compiler, which takes 600 MB and
 * seconds of a processor for this one function, a few hundred statements after the start (decision 030). All other functions are
 * optimized as usual, and frequent statements are prepared and not parsed.
 *
 * V8 compiles a function quickly at its first call, with counters that trigger the optimizing compiler; without counters while
 * `--wasm-tier-up-filter` names another function. So the parser is called once under that flag, with a text at an invalid
 * address: it traps in `strlen`, its first step, and has changed nothing. `strlen` is called before, to get its counters.
 */
const parserInBaseline: Extension = {
  name: 'parser in baseline',
  setup: async (_database, options) => ({
    emscriptenOpts: {
      ...options,
      preRun: [
        ...(options.preRun ?? []),
        (module: PostgresModule) => {
          const initialize = module.onRuntimeInitialized
          module.onRuntimeInitialized = () => {
            initialize()
            const stack = module.stackSave()
            trap(() => module._strlen(nowhere))
            setFlagsFromString('--wasm-tier-up-filter=0')
            try {
              trap(() => module._raw_parser(nowhere, 0))
            } finally {
              setFlagsFromString('--wasm-tier-up-filter=-1')
              module.stackRestore(stack)
            }
          }
        },
      ],
    },
  }),
}

// V8 collects WebAssembly code that is not used any more, and sometimes unregisters it twice, which ends the process with "Check failed:
// jit_page_->allocations_.erase(addr) == 1" (https://github.com/nodejs/node/issues/64500). A service needs the same memory without it.
setFlagsFromString('--no-wasm-code-gc')

// One function at a time is optimized: each compilation takes some megabytes, and what they free stays in pieces (decision 030).
setFlagsFromString('--wasm-num-compilation-tasks=1')

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
