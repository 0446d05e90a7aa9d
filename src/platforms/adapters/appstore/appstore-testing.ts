import {
  type Handler,
  openTestBudget,
  type Received,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createAppstore } from './search.ts'

// What the tests of this adapter share: answers of the App Store, and a server that gives them.

export const label = (text: string) => ({ label: text })
export const review = (id: number, more: object = {}) => ({
  id: label(String(id)),
  title: label('Dark &amp; mode'),
  content: { label: 'Please <b>add</b> it.\n\nAt night', attributes: { type: 'text' } },
  author: { name: label('Ada'), uri: label('https://itunes.apple.com/us/reviews/id5') },
  updated: label('2026-03-01T20:00:00-07:00'),
  'im:rating': label('4'),
  'im:version': label('2.1'),
  'im:voteSum': label('7'),
  'im:voteCount': label('9'),
  link: { attributes: { rel: 'related', href: 'https://itunes.apple.com/us/review?id=7&type=Purple%20Software' } },
  ...more,
})
export const nextPage = (href: string) => [{ attributes: { rel: 'next', href } }]
export const feed = (entry?: unknown, link?: unknown) => ({ feed: { entry, link } })
export const app = (more: object = {}) => ({
  results: [{ wrapperType: 'software', trackId: 7, trackName: 'Larkspur', userRatingCount: 12, ...more }],
})

/** The pages of reviews by their paths; whatever else is asked for is the app. */
export async function setUp(pages: (received: Received) => unknown, apps = ['us/7'], found: unknown = app()) {
  const handler: Handler = (response, received) => {
    const body = received.path.includes('/customerreviews/') ? pages(received) : found
    if (typeof body === 'number') response.writeHead(body, { 'content-type': 'text/html' }).end('no')
    else if (typeof body === 'string') response.writeHead(200, { 'content-type': 'text/xml' }).end(body)
    else sendJson(response, body, 200, { 'content-type': 'text/javascript; charset=utf-8' })
  }
  const { baseUrl, received } = await startServer(handler)
  const clock = testClock()
  const platform = createAppstore({ client: testClient(clock), clock, openBudget: openTestBudget, baseUrl, apps })
  const asked = () => received.filter(({ path }) => path.includes('/customerreviews/')).map(({ path }) => path)
  return { platform, clock, received, asked, baseUrl }
}

export const paths = {
  usual: '/us/rss/customerreviews/page=1/id=7/sortby=mostrecent/json',
  other: '/us/rss/customerreviews/id=7/sortBy=mostRecent/page=1/json',
  xml: '/us/rss/customerreviews/page=1/id=7/sortby=mostrecent/xml',
}
