import { type Answer, jsonAnswer } from '../platform-shape.ts'

/** The communities that an application may not read, and what it gets instead; all others are public. */
const refusals: Record<string, [status: number, body: object]> = {
  membersonly: [403, { reason: 'private', message: 'Forbidden', error: 403 }],
  quarantined: [403, { message: 'Forbidden', error: 403 }],
  banned: [404, { reason: 'banned', message: 'Not Found', error: 404 }],
}

/** Reddit sends a client that wants a community which does not exist to a search for similar names. */
const absentPrefix = 'nosuch'

export function refusedCommunity(name: string): Answer | null {
  const refusal = refusals[name.toLowerCase()]
  return refusal ? jsonAnswer(...refusal) : null
}

/** `GET /r/<name>/about`. */
export function aboutCommunity(name: string): Answer {
  if (name.toLowerCase().startsWith(absentPrefix)) {
    return jsonAnswer(200, { kind: 'Listing', data: { after: null, dist: 0, children: [], before: null } })
  }
  const data = { display_name: name, subreddit_type: 'public', quarantine: false, over18: false, subscribers: 4_711 }
  return jsonAnswer(200, { kind: 't5', data })
}
