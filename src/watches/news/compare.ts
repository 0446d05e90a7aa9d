import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { NewsKind } from '../../database/tables/watches.ts'

/** A request found by a watch's jobs: as its last report had it, and as it is now. */
export interface ComparedRequest {
  sourceHash: string
  requestId: string
  /** Null if no report had it. */
  known: {
    votes: number
    status: RequestStatus | null
    wishId: string
    wasPresent: boolean
    fits: boolean | null
  } | null
  /** Null if deleted, or outside view or filters. */
  now: { votes: number; status: RequestStatus | null; wishId: string; platform: PlatformName; postedAt: Date } | null
}

export interface FoundItem {
  kind: NewsKind
  wishId: string
  /** The requests that made it news, most voted first. */
  requestIds: string[]
  votesGained: number
  requestsGained: number
  /** False if the wish does not fit the watch's goal. */
  fits: boolean | null
  rise?: { voices: number; expected: number; chance: number }
}

/** What the watch will know of a request. */
export interface Knowledge {
  sourceHash: string
  votes: number
  status: RequestStatus | null
  wishId: string
  isPresent: boolean
  fits: boolean | null
}

type Known = NonNullable<ComparedRequest['known']>
type Present = ComparedRequest & { now: NonNullable<ComparedRequest['now']> }

const idsOf = (requests: readonly Present[]) =>
  requests
    .toSorted((a, b) => b.now.votes - a.now.votes || (a.requestId < b.requestId ? -1 : 1))
    .map((one) => one.requestId)

/** Votes gained since the last report; 0 for a request tracked anew. */
const votesGainedBy = ({ known, now }: Present) =>
  known?.wasPresent === true ? Math.max(0, now.votes - known.votes) : 0

const becameA =
  (status: 'completed' | 'declined') =>
  ({ known, now }: Present) =>
    known?.wasPresent === true && known.status !== null && known.status !== status && now.status === status

/** Whether everything known of a wish was a misfit. */
function fitOf(known: readonly Known[]): boolean | null {
  return known.length > 0 && known.every(({ fits }) => fits === false) ? false : null
}

function itemsOfKnownWish(wishId: string, members: readonly Present[], fits: boolean | null): FoundItem[] {
  const added = members.filter(({ known }) => known === null)
  const grown = members.filter((one) => votesGainedBy(one) > 0)
  const item = (kind: NewsKind, requests: readonly Present[], votesGained = 0, requestsGained = 0): FoundItem[] =>
    requests.length === 0 ? [] : [{ kind, wishId, requestIds: idsOf(requests), votesGained, requestsGained, fits }]
  const votesGained = grown.reduce((sum, one) => sum + votesGainedBy(one), 0)
  return [
    ...item('grown', [...grown, ...added], votesGained, added.length),
    ...item('completed', members.filter(becameA('completed'))),
    ...item('declined', members.filter(becameA('declined'))),
  ]
}

/** The wishes that do not fit the watch's goal. Unjudged ones fit. */
export function findUnfitWishes(requests: readonly ComparedRequest[]): ReadonlySet<string> {
  const present = requests.filter(({ now }) => now !== null)
  const wishes = Map.groupBy(present, ({ now }) => now!.wishId)
  return new Set(
    [...wishes].flatMap(([wishId, members]) =>
      fitOf(members.flatMap(({ known }) => known ?? [])) === false ? [wishId] : [],
    ),
  )
}

const knowledgeOf = ({ sourceHash, known, now }: Present, fits: boolean | null): Knowledge => ({
  sourceHash,
  votes: known?.wasPresent === true ? Math.max(known.votes, now.votes) : now.votes,
  // A platform that omits the status once has not changed it.
  status: now.status ?? known?.status ?? null,
  wishId: now.wishId,
  isPresent: true,
  fits: known === null ? fits : known.fits,
})

const isSame = (known: Known | null, knowledge: Knowledge) =>
  known !== null &&
  known.wasPresent === knowledge.isPresent &&
  known.votes === knowledge.votes &&
  known.status === knowledge.status &&
  known.wishId === knowledge.wishId &&
  known.fits === knowledge.fits

/** A watch's news and its changed knowledge. Expiry, return, merges and splits are no news. */
export function compareRequests(requests: readonly ComparedRequest[]): { items: FoundItem[]; knowledge: Knowledge[] } {
  const knownWishes = new Set(requests.flatMap(({ known }) => known?.wishId ?? []))
  const present = requests.filter((one): one is Present => one.now !== null)
  const items: FoundItem[] = []
  const knowledge: Knowledge[] = []
  for (const [wishId, members] of Map.groupBy(present, ({ now }) => now.wishId)) {
    const known = members.flatMap((one) => one.known ?? [])
    const fits = fitOf(known)
    if (known.length === 0 && !knownWishes.has(wishId)) {
      items.push({
        kind: 'new',
        wishId,
        requestIds: idsOf(members),
        votesGained: 0,
        requestsGained: members.length,
        fits: null,
      })
    } else items.push(...itemsOfKnownWish(wishId, members, fits))
    knowledge.push(...members.map((one) => knowledgeOf(one, fits)))
  }
  for (const { sourceHash, known, now } of requests) {
    if (now === null && known !== null) knowledge.push({ sourceHash, ...known, isPresent: false })
  }
  const before = new Map(requests.map(({ sourceHash, known }) => [sourceHash, known]))
  return { items, knowledge: knowledge.filter((one) => !isSame(before.get(one.sourceHash) ?? null, one)) }
}
