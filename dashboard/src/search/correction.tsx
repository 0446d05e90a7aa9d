import { useMutation, useQueryClient } from '@tanstack/react-query'
import { correctRequest } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { FoundRequest } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { searchTexts as texts } from '../texts/search.ts'

/**
 * Says that a text is a request, or that it is none, for this account. The card stays until the results are read again, so that
 * the correction can be taken back where it was made.
 */
export function Correction({ request }: { request: FoundRequest }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const correct = useMutation({
    mutationFn: (isRequest: boolean | null) => correctRequest(request._id, isRequest),
    // What is on the screen stays; counts and other views are read again when they are shown.
    onSuccess: () => {
      for (const part of ['results', 'topics', 'topic', 'similar']) {
        void queries.invalidateQueries({ queryKey: [owner, part], refetchType: 'none' })
      }
    },
  })
  const said = correct.isSuccess ? correct.variables : null
  const isCorrected = correct.isSuccess ? said !== null : request.corrected
  const isRequest = said ?? request.likelihood === 'likely'
  return (
    <>
      {isCorrected ? (
        <span className="note" role="status">
          {texts.correctedTo[isRequest ? 'likely' : 'unlikely']}{' '}
          <button
            type="button"
            className="as-link small"
            disabled={correct.isPending}
            onClick={() => correct.mutate(null)}
          >
            {texts.undoCorrection}
          </button>
        </span>
      ) : (
        <button
          type="button"
          className="quiet small"
          disabled={correct.isPending}
          onClick={() => correct.mutate(!isRequest)}
        >
          {isRequest ? texts.isNoRequest : texts.isRequest}
        </button>
      )}
      {correct.error !== null && (
        <Problem error={correct.error} retry={() => correct.mutate(correct.variables ?? null)} />
      )}
    </>
  )
}
