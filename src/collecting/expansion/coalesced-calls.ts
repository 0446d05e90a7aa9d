interface Call<T> {
  answer: Promise<T>
  waiting: number
  abort: AbortController
}

/**
 * Equal calls at the same moment share one: a call that starts while another is under way gets its answer. The work is aborted when
 * no call waits for it any more. Nothing is cached once it has ended.
 */
export function createCoalescedCalls<T>() {
  const underWay = new Map<string, Call<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Call<T> => {
    const abort = new AbortController()
    const call: Call<T> = { abort, waiting: 0, answer: work(abort.signal) }
    underWay.set(key, call)
    const forget = () => {
      if (underWay.get(key) === call) underWay.delete(key)
    }
    call.answer.then(forget, forget)
    return call
  }

  /** @throws what the work throws, or the reason of `signal` as soon as it is aborted. */
  return async (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    const call = underWay.get(key) ?? start(key, work)
    call.waiting += 1
    let leave = () => {}
    const aborted = new Promise<never>((_resolve, reject) => {
      leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
    })
    try {
      return await Promise.race([call.answer, aborted])
    } finally {
      signal.removeEventListener('abort', leave)
      call.waiting -= 1
      if (call.waiting === 0 && underWay.get(key) === call) {
        underWay.delete(key)
        call.abort.abort(signal.reason)
      }
    }
  }
}
