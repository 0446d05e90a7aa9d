import { Type } from 'typebox'
import { requestStatuses } from '../../database/column-types.ts'
import { pageOf } from '../../http/pagination.ts'
import { closed, moment, nullable, oneOf } from '../../http/schemas.ts'

const newsItem = closed({
  wishId: Type.String({ description: 'Identifier of the wish' }),
  requestId: Type.String({
    description: 'The request that was completed or declined; else the one whose title is that of the wish',
  }),
  title: Type.String(),
  excerpt: Type.String({ description: 'The beginning of its text' }),
  url: Type.String({ description: 'Of the wish on the page' }),
  votes: Type.Integer({ description: 'Of the whole wish, now' }),
  votesGained: Type.Integer({ description: 'By the requests that the watch knew; each vote is news once' }),
  requestsGained: Type.Integer({ description: 'How many requests of it are new to the watch' }),
  platforms: Type.Array(Type.String()),
  status: nullable(oneOf(requestStatuses)),
})

const section = (description: string) =>
  Type.Array(newsItem, { maxItems: 50, description: `${description}; the first 50` })

const total = (of: string) => Type.Integer({ description: `How many \`${of}\` has in full` })

export const watchNews = closed({
  watchId: Type.String(),
  watchName: Type.String(),
  topic: Type.String(),
  goal: nullable(Type.String()),
  readUntil: nullable(moment('Until where the account has marked its news as read')),
  until: nullable(moment('When the last of these reports became ready: `POST /api/v1/news/read` takes it')),
  reports: Type.Integer({ description: 'How many reports are merged' }),
  hasFirst: Type.Boolean({ description: 'The first report of the watch is one of them: all of its wishes are new' }),
  totals: closed({
    newWishes: total('newWishes'),
    grown: total('grown'),
    completed: total('completed'),
    declined: total('declined'),
    other: total('other'),
  }),
  newWishes: section('Wishes of which the watch knew no request'),
  grown: section('Wishes that gained votes or requests'),
  completed: section('Wishes of which a request was completed'),
  declined: section('Wishes of which a request was declined'),
  other: section('What does not fit the goal of the watch'),
})

export const newsAnswer = closed({ data: pageOf('watches', watchNews) })

export const readAnswer = closed({
  data: closed({ watchIds: Type.Array(Type.String(), { description: 'The watches whose news were marked' }) }),
})
