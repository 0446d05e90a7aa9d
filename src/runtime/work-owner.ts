import { AsyncLocalStorage } from 'node:async_hooks'

/** The service's own work. */
export const service = ''
/** Calls not yet identified: key lookups. */
export const unknownCaller = '?'

/** A call's owner and its place in order. */
interface Work {
  owner: string
  order: number
}

let begun = 0
const workOwner = new AsyncLocalStorage<Work>()
const calls = new WeakMap<object, Work>()

/** Whom work is for: an account's id, once known, until the answer. */
export const currentOwner = (): string => workOwner.getStore()?.owner ?? service

/** A call's place in order; the service's own work comes after all begun so far. */
export const currentOrder = (): number => workOwner.getStore()?.order ?? ++begun

/** Runs the next part of a call with its owner. @param call the request: after reading its body, its context is lost */
export function runPart(call: object, run: () => void): void {
  const store = calls.get(call) ?? { owner: unknownCaller, order: ++begun }
  calls.set(call, store)
  workOwner.run(store, run)
}

/** Sets the account that the rest of the call works for. */
export function setOwner(accountId: string): void {
  const call = workOwner.getStore()
  if (call) call.owner = accountId
}
