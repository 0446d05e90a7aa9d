import type { FoundRequest, FoundWish, RequestRecord, SearchMeta, Wish } from '../api/types.ts'

/** A line of the list: a wish, or a text that is in none. */
export interface Row {
  /** The wish, or the text where it has none. */
  id: string
  wishId: string | null
  title: string
  votes: number
  requestCount: number
  own: Wish['own']
  platforms: readonly string[]
  status: Wish['status']
  lastAskedAt: string
  /** Of the wish: the one that matches best, or the most voted. */
  request: FoundRequest
  /** Null in a list, which has no words. */
  hasAllWords: boolean | null
}

export interface RowPage {
  rows: Row[]
  next: number | string | null
  limitReached: boolean
  /** Of a search. */
  meta: SearchMeta | null
}

export const rowOfWish = ({ topRequest, wishId, ...wish }: Wish): Row => ({
  ...wish,
  id: wishId,
  wishId,
  request: topRequest,
  hasAllWords: null,
})

export const rowOfFound = ({ bestMatch, wishId, ...wish }: FoundWish): Row => ({
  ...wish,
  id: wishId ?? bestMatch._id,
  wishId,
  request: bestMatch,
})

const alone = ({ sourcePlatform, votes }: RequestRecord): Pick<Row, 'votes' | 'requestCount' | 'own'> =>
  sourcePlatform === 'import'
    ? { votes: 0, requestCount: 0, own: { asks: 1, votes } }
    : { votes, requestCount: 1, own: null }

/** A request of a list, with the numbers of its wish. */
export const rowOfRequest = (request: RequestRecord): Row => ({
  id: request._id,
  title: request.title,
  ...(request.wish ?? { wishId: null, ...alone(request) }),
  platforms: [request.sourcePlatform],
  status: request.status,
  lastAskedAt: request.originalCreatedAt ?? request.createdAt,
  request,
  hasAllWords: null,
})

/** Pages may shift while a collection writes: what is in two of them is shown once. */
export const rowsOf = (pages: readonly RowPage[]): Row[] => [
  ...new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.id, row])).values(),
]
