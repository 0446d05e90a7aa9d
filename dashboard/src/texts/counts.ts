import { plural } from '@lingui/core/macro'

/** Numbers of things: `1 vote`, `1,200 votes`. */
export const counts = {
  asks: (count: number) => plural(count, { one: '# own ask', other: '# own asks' }),
  channels: (count: number) => plural(count, { one: '# channel', other: '# channels' }),
  comments: (count: number) => plural(count, { one: '# comment', other: '# comments' }),
  credits: (count: number) => plural(count, { one: '# credit', other: '# credits' }),
  items: (count: number) => plural(count, { one: '# item', other: '# items' }),
  pages: (count: number) => plural(count, { one: '# page', other: '# pages' }),
  platforms: (count: number) => plural(count, { one: '# platform', other: '# platforms' }),
  requests: (count: number) => plural(count, { one: '# request', other: '# requests' }),
  topics: (count: number) => plural(count, { one: '# topic', other: '# topics' }),
  voices: (count: number) => plural(count, { one: '# voice', other: '# voices' }),
  votes: (count: number) => plural(count, { one: '# vote', other: '# votes' }),
  wishes: (count: number) => plural(count, { one: '# wish', other: '# wishes' }),
}

/** What was imported of a wish: it stands beside the public numbers, and is never added to them. */
export const ownAsks = ({ asks, votes }: { asks: number; votes: number }): string =>
  `${counts.asks(asks)} · ${counts.votes(votes)}`
