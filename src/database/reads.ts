import type { Executor } from './open.ts'

/**
 * Runs a read of requests, topics or wishes, on the primary or on a replica that has every change that was committed before this call.
 * The read may run twice: a replica can end it.
 */
export type ReadDatabase = <T>(read: (executor: Executor) => Promise<T>) => Promise<T>

/** Reads where there is no replica. */
export const readsOf =
  (executor: Executor): ReadDatabase =>
  (read) =>
    read(executor)
