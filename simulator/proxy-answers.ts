import { type Answer, jsonAnswer } from './answers.ts'
import type { Fault } from './faults.ts'
import type { AnnouncedWait } from './platform-shape.ts'

const htmlType = { 'content-type': 'text/html; charset=utf-8' }

const htmlPage = (title: string) =>
  `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`

/** Whether the answer is that of a proxy in front of the platform, which does not have the platform's forms. */
export function isFromProxy({ name }: Fault): boolean {
  return name === 'dated_rate_limit' || name === 'html_rate_limit'
}

export function badGateway(): Answer {
  return { status: 502, headers: htmlType, body: htmlPage('502 Bad Gateway') }
}

export function proxyRefusal({ name }: Fault, { until, seconds }: AnnouncedWait): Answer {
  if (name === 'dated_rate_limit') {
    return jsonAnswer(429, { error: 'Too Many Requests' }, { 'retry-after': new Date(until).toUTCString() })
  }
  return {
    status: 429,
    headers: { ...htmlType, 'retry-after': String(seconds) },
    body: htmlPage('429 Too Many Requests'),
  }
}
