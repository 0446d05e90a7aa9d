import { AsyncLocalStorage } from 'node:async_hooks'

/** What the service does by itself. */
export const service = ''
/** Calls until it is known whose they are: the lookups of keys. */
export const unknownCaller = '?'

/** A call: whose it is, and its place in the order of the calls. */
interface Work {
  owner: string
  order: number
}

let begun = 0
const workOwner = new AsyncLocalStorage<Work>()
const calls = new WeakMap<object, Work>()

/** For whom something is done: the id of an account, from the moment it is known until the answer. */
export const currentOwner = (): string => workOwner.getStore()?.owner ?? service

/** The place of the call in the order of the calls; of what the service does by itself, a place behind all that began until now. */
export const currentOrder = (): number => workOwner.getStore()?.order ?? ++begun

/**
 * Runs the next part of a call, with the owner that was set in an earlier one.
 * @param call the request: the parts of one that come after its body was read have lost their context.
 */
export function runPart(call: object, run: () => void): void {
  const store = calls.get(call) ?? { owner: unknownCaller, order: ++begun }
  calls.set(call, store)
  workOwner.run(store, run)
}

/** Says for which account the rest of the call is done. */
export function setOwner(accountId: string): void {
  const call = workOwner.getStore()
  if (call) call.owner = accountId
}
