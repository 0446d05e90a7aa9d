import type { Fault } from './faults.ts'
import { type Answer, jsonAnswer } from './platform-shape.ts'

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

/** @param until epoch milliseconds, on a whole second */
export function proxyRefusal({ name }: Fault, until: number, now: number): Answer {
  if (name === 'dated_rate_limit') {
    return jsonAnswer(429, { error: 'Too Many Requests' }, { 'retry-after': new Date(until).toUTCString() })
  }
  const seconds = String(Math.max(1, Math.ceil((until - now) / 1_000)))
  return { status: 429, headers: { ...htmlType, 'retry-after': seconds }, body: htmlPage('429 Too Many Requests') }
}
