import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadTask } from './thread.ts'

// Entry of thread.ts: calls one function, reports its result, and ends.

const { module, name, argument } = workerData as ThreadTask
const { [name]: call } = (await import(module)) as Record<string, (argument: unknown) => unknown>
parentPort!.postMessage(await call!(argument))
