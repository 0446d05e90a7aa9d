import { type Answer, jsonAnswer } from '../platform-shape.ts'

interface Refusal {
  status: number
  reason: string
  message: string
  domain: string
  /** Of the newer envelope. */
  more?: object
}

/** Google's error envelope. */
export function refuse({ status, reason, message, domain, more = {} }: Refusal, headers = {}): Answer {
  const errors = [{ message, domain, reason }]
  return jsonAnswer(status, { error: { code: status, message, errors, ...more } }, headers)
}

const documentation = '/youtube/v3/docs/commentThreads/list#videoId'
const videoParameter = `The video identified by the <code><a href="${documentation}">videoId</a></code> parameter`

export const closedVideo = {
  commentsDisabled: { status: 403, message: `${videoParameter} has disabled comments.` },
  videoNotFound: { status: 404, message: `${videoParameter} could not be found.` },
} as const

export function badRequest(reason: string, message: string): Answer {
  return refuse({ status: 400, reason, message, domain: 'youtube.parameter' })
}
