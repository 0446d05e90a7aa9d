import { Type } from 'typebox'
import { closed, moment, nullable, oneOf, trimmedText } from '../../http/schemas.ts'
import { bodyFilters } from '../../requests/filters/filters.ts'
import { feedKinds } from './feeds.ts'

export const newFeed = closed({
  kind: oneOf(feedKinds, {
    description: 'The requests of a topic, the news of a watch, or the results of a search, the newest first',
  }),
  name: Type.Optional(trimmedText(1, 100, 'Its title; without it the topic, the name of the watch or the query')),
  topic: Type.Optional(trimmedText(2, 100, 'With `topic`, which need not be collected yet')),
  watchId: Type.Optional(Type.String({ maxLength: 100, description: 'With `watch`' })),
  query: Type.Optional(trimmedText(1, 500, 'With `search`')),
  filters: Type.Optional(bodyFilters),
})

export const madeFeed = closed({
  data: closed({
    feedId: Type.String(),
    name: Type.String(),
    url: Type.String({ description: 'The address as Atom, shown this once: who has it can read the feed' }),
    jsonUrl: Type.String({ description: 'The same as JSON Feed' }),
  }),
})

const feed = closed({
  feedId: Type.String(),
  kind: oneOf(feedKinds),
  name: Type.String(),
  topic: nullable(Type.String()),
  watchId: nullable(Type.String()),
  query: nullable(Type.String()),
  filters: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'As they were given',
    }),
  ),
  hint: Type.String({ description: 'The first characters of the secret in its address' }),
  createdAt: moment('When it was made'),
  lastReadAt: nullable(moment('When it was last read, to within ten minutes; null when never')),
})

export const feedList = closed({ data: closed({ feeds: Type.Array(feed) }) })
export const feedPath = closed({ id: Type.String({ description: 'The `feedId`' }) })
export const revokedFeed = closed({ data: closed({ feedId: Type.String() }) })
