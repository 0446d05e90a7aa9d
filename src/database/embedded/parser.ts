import { setFlagsFromString } from 'node:v8'
import type { Extension } from '@electric-sql/pglite'

/** What this needs of PGlite's WebAssembly module: the exports of C functions have a leading underscore. */
interface PostgresModule {
  onRuntimeInitialized(): void
  stackSave(): number
  stackRestore(pointer: number): void
  _strlen(text: number): number
  _raw_parser(text: number, mode: number): number
}

/** Behind the end of any memory: whatever reads there traps. */
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
 * seconds of a processor for this one function, a few hundred statements after the start (decision 030). All others are optimized when
 * they are hot, as always; statements that come again are prepared and not parsed.
 *
 * V8 compiles a function at its first call, quickly, and puts counters into it that call for the optimizing compiler; none,
 * while `--wasm-tier-up-filter` names another function. So it is called once under that flag, with a text that is
 * nowhere: it traps in `strlen`, its first step, before it has changed anything. `strlen` is called before, to have its counters.
 */
export const parserInBaseline: Extension = {
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
