import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, request as send } from 'undici'
import type { Clock } from '../../runtime/clock.ts'
import { headerText, retryAfter } from '../headers.ts'
import { PlannedWaitError, PlatformError } from '../platform.ts'
import { BodyError, readAnswerBody } from './body.ts'
import { acceptEncoding } from './content-coding.ts'
import { defaultError, isTransient } from './faults.ts'
import type { Answer, ClientTimeouts, JsonRequest } from './messages.ts'

const redirectLimit = 3
const redirectStatuses = new Set([301, 302, 303, 307, 308])

export interface ExchangeContext {
  clock: Clock
  userAgent: string
  dispatcher: Dispatcher
  /** For account-named addresses: connects only to public ones. */
  foreignDispatcher: Dispatcher
  timeouts: ClientTimeouts
  maxBodyBytes: number
}

/** The platform or host in messages. */
export const labelOf = ({ label, platform }: JsonRequest): string => label ?? platform

/** Follows redirects. @throws PlatformError for an error answer; connection errors unchanged */
export async function sendOnce(context: ExchangeContext, request: JsonRequest, signal: AbortSignal): Promise<Answer> {
  let url = request.url
  for (let redirects = 0; redirects <= redirectLimit; redirects++) {
    await (redirects === 0 ? request.budget.take(context.clock.now()) : takeForRedirect(context, request, signal))
    const response = await send(url, {
      method: request.body === undefined ? 'GET' : 'POST',
      body: request.body ?? null,
      dispatcher: request.isForeign ? context.foreignDispatcher : context.dispatcher,
      signal,
      headersTimeout: context.timeouts.headersMs,
      bodyTimeout: context.timeouts.bodyMs,
      headers: {
        accept: 'application/json',
        ...request.headers,
        'user-agent': (request.agentPrefix ?? '') + context.userAgent,
        'accept-encoding': acceptEncoding,
      },
    })
    const location = redirectStatuses.has(response.statusCode) ? headerText(response.headers, 'location') : null
    if (location === null) return readAnswer(context, request, response)
    await response.body.dump()
    url = redirectTarget(request, url, location)
  }
  throw new PlatformError('bad_response', `${labelOf(request)} redirects without end. Check its base address.`)
}

/** Waits for the budget here: giving up would waste the first request, and restarting might loop forever. */
async function takeForRedirect({ clock, timeouts }: ExchangeContext, { budget }: JsonRequest, signal: AbortSignal) {
  for (;;) {
    try {
      return await budget.take(clock.now())
    } catch (error) {
      if (!(error instanceof PlannedWaitError)) throw error
      const { code, message } = error
      const retryAt = error.retryAt!
      // Counts as a try, not a planned wait, so a task cannot repeat it forever.
      const failed = () => {
        throw new PlatformError(code, message, { retryAt })
      }
      const waitMs = retryAt.getTime() - clock.now().getTime()
      if (waitMs > timeouts.deadlineMs) failed()
      await sleep(waitMs, undefined, { signal }).catch(failed)
    }
  }
}

/** Only within the configured origin: protects credentials, and our network from hostile redirects. */
function redirectTarget(request: JsonRequest, from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (target?.origin === request.url.origin) return target
  const where = target ? target.origin : 'an address that cannot be read'
  throw new PlatformError('bad_response', `${labelOf(request)} redirects to ${where}. Check its base address.`)
}

async function readAnswer(
  context: ExchangeContext,
  request: JsonRequest,
  response: Dispatcher.ResponseData,
): Promise<Answer> {
  const { budget } = request
  const label = labelOf(request)
  const answer: Answer = { status: response.statusCode, headers: response.headers, body: undefined }
  let bodyError: BodyError | null = null
  try {
    const limitBytes = request.maxBodyBytes ?? context.maxBodyBytes
    answer.body = await readAnswerBody(response.body, response.headers, limitBytes, request.parseBody)
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    bodyError = error
  }
  // A series of bad requests must not pause a host for all tasks.
  if (bodyError === null && answer.status < 500) budget.recordAnswer()
  await request.readLimits?.(answer)
  // The status first: it says more than an error's broken body.
  const isAccepted = request.acceptStatuses?.includes(answer.status) ?? false
  const error = request.readError?.(answer) ?? (isAccepted ? null : defaultError(label, answer, context.clock.now()))
  if (error) {
    const retryAt = error.retryAt ?? retryAfter(answer.headers, context.clock.now())
    // Cools down all tasks.
    if (retryAt) budget.pauseUntil(retryAt)
    throw retryAt && isTransient(error) ? new PlatformError(error.code, error.message, { retryAt }) : error
  }
  if (bodyError)
    throw new PlatformError('bad_response', `${label} answered with ${bodyError.message}. Check its base address.`)
  return answer
}
