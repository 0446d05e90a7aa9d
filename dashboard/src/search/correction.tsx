import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, useRef, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { FoundRequest, WishDetail } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { searchTexts as texts } from '../texts/search.ts'

/** What is said of a request: how likely it is one, and whether a person said that. */
type Judgement = Pick<FoundRequest, 'likelihood' | 'corrected'>

const judged: Record<'request' | 'none', Judgement> = {
  request: { likelihood: 'likely', corrected: true },
  none: { likelihood: 'unlikely', corrected: true },
}

/** Corrects a request, or with null undoes that. What a request is without a correction is read from the service. */
async function correct(requestId: string, isRequest: boolean | null): Promise<Judgement> {
  const corrections = '/api/v1/corrections/requests'
  if (isRequest !== null) {
    await dataOf(api.POST(corrections, { body: { requestId, isRequest } }))
    return judged[isRequest ? 'request' : 'none']
  }
  const { results } = await dataOf(api.GET(corrections, { params: { query: { requestId } } }))
  for (const { correctionId } of results) {
    await dataOf(api.DELETE(`${corrections}/{correctionId}`, { params: { path: { correctionId } } }))
  }
  const path = { requestId }
  const { likelihood, corrected } = await dataOf(api.GET('/api/v1/requests/{requestId}', { params: { path } }))
  return { likelihood, corrected }
}

interface WishPages {
  pages: WishDetail[]
  pageParams: unknown[]
}

/** The wish as it is on the screen, with another judgement of one request: the text stays where it was corrected. */
const withJudgement = ({ pages, pageParams }: WishPages, requestId: string, judgement: Judgement): WishPages => ({
  pages: pages.map(({ members, ...wish }) => ({
    ...wish,
    members: {
      ...members,
      results: members.results.map((one) => (one._id === requestId ? { ...one, ...judgement } : one)),
    },
  })),
  pageParams,
})

/** Lists and counts are read again when they are shown next. */
function useCorrection({ _id }: FoundRequest, onJudged: (judgement: Judgement) => void) {
  const owner = useOwner()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (isRequest: boolean | null) => correct(_id, isRequest),
    onSuccess: (judgement) => {
      onJudged(judgement)
      const wishes = [owner, 'wish']
      queries.setQueriesData<WishPages>({ queryKey: wishes }, (wish) => wish && withJudgement(wish, _id, judgement))
      for (const queryKey of [wishes, [owner, 'rows'], [owner, 'topics'], [owner, 'changes']]) {
        void queries.invalidateQueries({ queryKey, refetchType: 'none' })
      }
    },
  })
}

/** The buttons of a card: what each says, and the correction that it makes. @param isAsked whether both answers are offered */
function choicesFor(
  { likelihood, corrected }: Judgement,
  isOperators: boolean,
  isAsked: boolean,
): [string, boolean | null][] {
  if (corrected && !isOperators) return [[texts.undoCorrection, null]]
  const choices: [string, boolean][] = []
  if (likelihood !== 'likely') choices.push([texts.isRequest, true])
  if (likelihood !== 'unlikely' || isAsked) choices.push([texts.isNoRequest, false])
  return choices
}

/** Says that a text is a request, or that it is none, for this account; and takes that back. */
export function Correction({ request, isAsked = false }: { request: FoundRequest; isAsked?: boolean }) {
  // What was said just now is shown wherever the text is, also where its list is not read again.
  const [said, setSaid] = useState<Judgement | null>(null)
  const mutation = useCorrection(request, setSaid)
  const buttons = useRef<HTMLSpanElement>(null)
  const judgement = said ?? request
  const { corrected, likelihood } = judgement
  // Without a correction of the account, only one of the operator is left.
  const isOperators = corrected && mutation.isSuccess && mutation.variables === null
  const onClick = (event: MouseEvent, isRequest: boolean | null) => {
    // The second click of a double click would press the button that the first one brought.
    if (mutation.isPending || event.detail > 1) return
    // The first button is there before and after, so the focus is not lost.
    buttons.current?.querySelector('button')?.focus()
    mutation.mutate(isRequest)
  }
  return (
    <>
      <span className="correction" ref={buttons}>
        {corrected && (
          <span className="note" role={mutation.isSuccess ? 'status' : undefined}>
            {isOperators
              ? texts.correctedByOperator
              : texts.correctedTo[likelihood === 'unlikely' ? 'none' : 'request']}
          </span>
        )}
        {choicesFor(judgement, isOperators, isAsked).map(([text, isRequest], position) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the first button stays the same element, with its focus
            key={position}
            type="button"
            className="quiet small"
            aria-disabled={mutation.isPending}
            onClick={(event) => onClick(event, isRequest)}
          >
            {text}
          </button>
        ))}
      </span>
      {mutation.error !== null && (
        <Problem error={mutation.error} retry={() => mutation.mutate(mutation.variables ?? null)} />
      )}
    </>
  )
}
