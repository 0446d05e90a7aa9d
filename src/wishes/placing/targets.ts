import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { requestColumns, sharedView, standingIn, type View } from '../../requests/view.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { normaliseText } from '../../runtime/text/normalise.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { PossiblySame, PossiblySameInput } from '../list/possibly-same.ts'
import { type CandidatesInput, findCandidateIds, readComparedTexts, readCounts } from '../pairs/candidates.ts'
import type { ComparedText, PostedTitle } from '../pairs/compared-text.ts'
import { productAt } from '../pairs/products.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { joiningThreshold, possiblySameThreshold, similaritiesOf } from '../pairs/scorer.ts'
import { keyOf, readAnswered } from '../suggestions/list.ts'

/** A wish that a request may join, represented by its core. */
export interface Target {
  /** The core of a wish, or a request that is a wish by itself. */
  coreId: string
  similarity: number
}

/** Most similar first, with a stable order of ties. */
export const bySimilarity = (one: Target, other: Target): number =>
  other.similarity - one.similarity || (one.coreId < other.coreId ? -1 : 1)

interface Core {
  id: string
  named: PostedTitle[]
  /** Whether it is queued for placing itself. */
  is_queued: boolean
}

/** The distinct cores of the candidates' wishes, in order. A candidate in no stored wish is its own core. */
async function readCores(executor: Executor, candidateIds: readonly string[], view: View): Promise<Core[]> {
  const { rows } = await sql<Core>`
    select cores.id, named,
      exists (select from wish_queue where wish_queue.request_id = cores.id) as is_queued
    from (
      select core_id as id, min(position) as position,
        json_agg(json_build_object('title', title, 'platform', platform, 'sourceName', source_name)) as named
      from (
        select position, title, platform, source_name, case when member.request_id is null then candidate.id else core.request_id end as core_id
        from unnest(${candidateIds}::uuid[]) with ordinality as candidate (id, position)
        join requests as posted on posted.id = candidate.id
        left join wish_members as member on member.request_id = candidate.id
        left join wish_members as core on core.wish_id = member.wish_id and core.is_core
      ) as mapped where core_id is not null group by core_id
    ) as cores join requests on requests.id = cores.id and ${standingIn(view, requestColumns)} >= 0
    order by position`.execute(executor)
  return rows
}

/** Whether two requests of one product have the same title, which makes them one wish regardless of the core. */
function haveOneTitle({ posted, product }: ComparedText, other: PostedTitle): boolean {
  const { id, platform } = productAt(other)
  if (id !== product.id || (id !== null && platform !== product.platform)) return false
  return normaliseText(posted.title) === normaliseText(other.title)
}

interface TargetsInput {
  /** Already placed, though still queued. */
  placed?: ReadonlySet<string>
  id: string
  text: ComparedText
  candidateIds: readonly string[]
  threshold: number
  /** Whose requests: by default those of the shared view. */
  view?: View
}

/** The wishes that a request may join: placed before queued, same title first, then most similar. Never its own. */
export async function findTargets(
  input: CandidatesInput,
  { id, text, candidateIds, threshold, view = sharedView, placed }: TargetsInput,
): Promise<Target[]> {
  if (candidateIds.length === 0) return []
  const cores = (await readCores(input.executor, candidateIds, view)).filter((core) => core.id !== id)
  const textOf = await readComparedTexts(
    input.executor,
    cores.map((core) => core.id),
  )
  // A core may have been deleted since the previous statement.
  const present = cores.filter((core) => textOf.has(core.id))
  const texts = present.map((core) => textOf.get(core.id)!)
  const counts = await readCounts(input, texts)
  const similarities = similaritiesOf(text, texts, counts)
  return (
    present
      .map(({ id: coreId, named, is_queued: isQueued }, index) => {
        const isNamed = named.some((one) => haveOneTitle(text, one))
        const similarity = isNamed ? Math.max(similarities[index]!, joiningThreshold) : similarities[index]!
        return { coreId, isNamed, isQueued: isQueued && !placed?.has(coreId), similarity }
      })
      .filter(({ similarity }) => similarity >= threshold)
      // Placed ones first: else two queued requests would join each other instead of the wish they both resemble.
      .sort(
        (one, other) =>
          Number(one.isQueued) - Number(other.isQueued) ||
          Number(other.isNamed) - Number(one.isNamed) ||
          bySimilarity(one, other),
      )
      .map(({ coreId, similarity }) => ({ coreId, similarity }))
  )
}

const maxShown = 5

/** Another wish that may ask for the same; counted separately. */
interface OtherWish {
  wishId: string
  requestId: string
  similarity: number
}

/** Up to five wishes that most likely ask for the same, most similar first, except those parted by someone. */
export async function possiblySame(
  input: CandidatesInput,
  { wishId, requestId, view }: PossiblySameInput,
): Promise<OtherWish[]> {
  const text = (await readComparedTexts(input.executor, [requestId])).get(requestId)
  if (text === undefined) return []
  const candidateIds = await findCandidateIds(input, text, { id: requestId, view })
  const targets = await findTargets(input, {
    id: requestId,
    text,
    candidateIds,
    threshold: possiblySameThreshold,
    view,
  })
  // Nothing is joined here, so it does not matter which are placed.
  targets.sort(bySimilarity)
  const wishIds = await readWishIds(
    input.executor,
    targets.map(({ coreId }) => coreId),
    view,
  )
  const answered = await readAnswered(input.executor, view.account, {
    wishIds: [wishId, ...wishIds.values()],
    hashes: [],
  })
  const found = new Map<string, OtherWish>()
  for (const { coreId, similarity } of targets) {
    const other = wishIds.get(coreId)
    if (other === undefined || other === wishId || found.has(other) || answered.has(keyOf(wishId, other))) continue
    found.set(other, { wishId: other, requestId: coreId, similarity })
    if (found.size === maxShown) break
  }
  return [...found.values()]
}

/** Finds possibly equal wishes in a search index. */
export function createPossiblySame(searchIndex: SearchIndex): PossiblySame {
  const words = createWordCounter()
  return (executor, input) => possiblySame({ executor, searchIndex, words }, input)
}
