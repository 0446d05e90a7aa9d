import { setFlagsFromString } from 'node:v8'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'

/** The used part of PGlite's WebAssembly module; C exports start with an underscore. */
interface PostgresModule {
  onRuntimeInitialized(): void
  stackSave(): number
  stackRestore(pointer: number): void
  _strlen(text: number): number
  _raw_parser(text: number, mode: number): number
}

/** Beyond any memory: reading there traps. */
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
 * Keeps the SQL parser (`raw_parser`, 100 kB) out of V8's optimizing compiler, which would take 600 MB and seconds of
 * CPU for it (decision 030). V8 compiles a function at its first call, and without tier-up counters if
 * `--wasm-tier-up-filter` names another function. So the parser is first called under that flag, with an invalid
 * address: it traps in `strlen`, changing nothing. `strlen` is called before, to get its counters.
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

// The collector sometimes unregisters code twice, which kills the process ("Check failed:
// jit_page_->allocations_.erase(addr) == 1", https://github.com/nodejs/node/issues/64500).
setFlagsFromString('--no-wasm-code-gc')

// Optimizes one function at a time: each compilation leaves some megabytes fragmented (decision 030).
setFlagsFromString('--wasm-num-compilation-tasks=1')

/**
 * Added to PGlite's own. Buffer memory is never returned; the OS file cache does the rest (decision 030). Triggers read
 * `wishwell.embedded` (`schema/answers.sql`).
 */
const settings = ['shared_buffers=32MB', 'maintenance_work_mem=32MB', 'wishwell.embedded=on']

/** Opens PGlite on a directory, creating a database if it is empty. Statements block the calling thread. */
export const openPglite = (directory: string): Promise<PGlite> =>
  PGlite.create(directory, {
    extensions: { pg_textsearch, parserInBaseline },
    startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    // Minimal, because creating a database needs the most memory.
    initDbStartParams: ['--set', 'shared_buffers=1MB', '--set', 'max_connections=10'],
  })
