import { type Answer, jsonAnswer } from './answers.ts'
import type { Fault } from './faults.ts'
import type { RefusalForm } from './limits.ts'
import type { SearchRequest, SimulatedPlatform } from './platform-shape.ts'
import { badGateway, isFromProxy } from './proxy-answers.ts'

/** Always redirects to itself. */
export const loopPath = '/redirect-loop'

const refusalForms: Partial<Record<Fault['name'], RefusalForm>> = {
  rate_limit: 'primary',
  secondary_rate_limit: 'secondary',
  silent_rate_limit: 'silent',
  dated_rate_limit: 'secondary',
  html_rate_limit: 'secondary',
}

/**
 * How a platform refuses under this fault; null when the fault is no refusal. A platform that by itself names no time
 * names one only when the fault says which.
 */
export function faultRefusalForm(platform: SimulatedPlatform, fault: Fault): RefusalForm | null {
  const form = refusalForms[fault.name] ?? null
  if (isFromProxy(fault)) return form
  return form !== null && platform.announces === 'nothing' && fault.seconds === null ? 'silent' : form
}

export function redirect(location: string): Answer {
  return { status: 302, headers: { location }, body: '' }
}

const challengePage =
  '<!doctype html><html><head><title>Checking your browser</title></head><body>One moment, please.</body></html>'

/** The answer that replaces the true one; null for a fault that keeps it, or that damages it while it is sent. */
export function spoiltAnswer(
  service: {
    platform: SimulatedPlatform
    baseUrl: string
    privateUrl: string
    request: SearchRequest
    before: Answer | null
  },
  fault: Fault,
  truth: Answer,
): Answer | null {
  switch (fault.name) {
    case 'unauthorized':
      return service.platform.answers.unauthorized()
    case 'bad_gateway':
      return badGateway()
    case 'server_error':
      return service.platform.answers.serverError()
    case 'wrong_shape':
      return service.platform.answers.wrongShape()
    case 'empty_body':
      return { ...jsonAnswer(200, null), body: '' }
    case 'html_page':
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: challengePage }
    case 'wrong_content_type':
      return { ...truth, headers: { ...truth.headers, 'content-type': 'application/octet-stream' } }
    case 'endless_cursor':
      return service.platform.sayMore(truth, service.request, service.before)
    case 'redirect_loop':
      return redirect(`${service.baseUrl}${loopPath}`)
    case 'redirect_private':
      return redirect(service.privateUrl)
    default:
      return null
  }
}
