import { Type } from 'typebox'
import type { RouteDependencies } from '../../../accounts/authentication.ts'
import { madeByFields } from '../../../accounts/made-by-key.ts'
import { requestStatuses } from '../../../database/column-types.ts'
import type { PushState, TrackerType } from '../../../database/tables/notifications.ts'
import { named } from '../../../http/openapi-components.ts'
import { pageOf } from '../../../http/pagination.ts'
import { closed, moment, nullable, oneOf, openWord, trimmedText } from '../../../http/schemas.ts'
import type { Secrets } from '../../../http/secrets/secrets.ts'
import type { TrackerAdapters } from '../tracker.ts'

export interface TrackerRouteDependencies extends RouteDependencies {
  trackers: TrackerAdapters
  secrets: Secrets
}

export const trackerTags = { tags: ['Pushes'], security: [{ apiKey: [] }] }

export const trackerTypes = ['github', 'gitlab', 'linear', 'jira', 'webhook'] as const satisfies TrackerType[]
const pushStates = [
  'waiting',
  'sent',
  'failed',
  'nothing_left',
  'undoing',
  'undone',
  'gone',
] as const satisfies PushState[]

const name = trimmedText(1, 100, 'For people')
const token = trimmedText(1, 2_000, 'What it is called with; never shown again')

export const newTracker = closed({
  type: oneOf(trackerTypes),
  name,
  project: Type.Optional(
    trimmedText(
      1,
      200,
      'GitHub: OWNER/REPOSITORY; GitLab: GROUP/PROJECT; Linear and Jira: the key of a team or project',
    ),
  ),
  url: Type.Optional(
    trimmedText(
      1,
      2_000,
      'Jira: its site; webhook: what takes POSTs; else where its API is, if not at the usual address',
    ),
  ),
  email: Type.Optional(trimmedText(3, 200, "Jira: the token's account")),
  issueType: Type.Optional(
    trimmedText(1, 100, 'Jira: the type of new issues, by its name or id; by default one that fits'),
  ),
  token: Type.Optional(token),
})

export const trackerChanges = closed(
  { name: Type.Optional(name), token: Type.Optional(token) },
  { minProperties: 1, description: 'What is not given stays' },
)

const tracker = closed(
  {
    trackerId: Type.String(),
    type: openWord(trackerTypes, 'Its kind'),
    name: Type.String(),
    target: Type.String({ description: 'Where it leads; no token' }),
    createdAt: moment('When it was made'),
    ...madeByFields,
    error: nullable(Type.String({ description: 'Why the last call failed; null while calls succeed' })),
  },
  named('Tracker'),
)

export const trackerAnswer = tracker
export const trackerList = pageOf(tracker)
export const madeTracker = closed({
  ...tracker.properties,
  secret: Type.Optional(Type.String({ description: 'Of a webhook, to check its signatures. Shown this once' })),
})
export const trackerPath = closed({ trackerId: Type.String() })
export const trackerIdAnswer = closed({ trackerId: Type.String() })

export const push = closed(
  {
    pushId: Type.String(),
    wishId: Type.String(),
    trackerId: Type.String(),
    state: openWord(
      pushStates,
      '`nothing_left`: the wish was purged before it was sent; `undoing`: its issue is being closed; `gone`: it was deleted there',
    ),
    issue: nullable(closed({ key: Type.String(), url: nullable(Type.String()) })),
    status: nullable(oneOf(requestStatuses, { description: 'Of the issue. That of the wish is another' })),
    statusAt: nullable(moment('When it was read')),
    error: nullable(Type.String({ description: 'What failed, in words of this service' })),
    createdAt: moment('When it was pushed'),
  },
  named('Push'),
)
export const pushAnswer = push
export const pushPath = closed({ pushId: Type.String() })
export const newPush = closed({ trackerId: Type.String() })
const draft = closed({
  requestId: Type.String(),
  platform: Type.String(),
  sourceUrl: Type.String(),
  text: Type.String({ description: 'Plain text' }),
})
export const pushWithDrafts = closed({
  ...push.properties,
  drafts: Type.Array(draft, { description: 'The most voted requests first' }),
})
