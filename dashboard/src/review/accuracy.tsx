import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Accuracy, AccuracyEstimate } from '../api/types.ts'
import { number, platformTitle } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { accuracyTexts as texts } from '../texts/later/accuracy.ts'

/** In 100 texts. @returns null without enough labels */
function ofHundred({ share, low, high }: AccuracyEstimate) {
  if (share === null || low === null || high === null) return null
  const [inShare, inLow, inHigh] = [share, low, high].map((value) => Math.round(value * 100)) as [
    number,
    number,
    number,
  ]
  return { share: inShare, low: inLow, high: inHigh }
}

/** What is known of the two classes, in a sentence each; null where nothing is. */
function sentencesOf({ shown, hidden }: Pick<Accuracy, 'shown' | 'hidden'>): string[] {
  const [ofShown, ofHidden] = [ofHundred(shown), ofHundred(hidden)]
  return [...(ofShown ? [texts.shown(ofShown)] : []), ...(ofHidden ? [texts.hidden(ofHidden)] : [])]
}

/** Whose answers the shares follow from, and how many; the more of the two classes where both are of one. */
const sourcesOf = ({ shown, hidden }: Pick<Accuracy, 'shown' | 'hidden'>): string[] =>
  (['account', 'operator'] as const).flatMap((owner) => {
    const labels = [shown, hidden].filter(({ from }) => from === owner).reduce((sum, one) => sum + one.labels, 0)
    return labels === 0 ? [] : [texts.from[owner](number(labels))]
  })

export const useAccuracy = () => {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'accuracy'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/accuracy', { signal })),
  })
}

/** How many of 100 shown, and of 100 hidden, are requests: one quiet line, and nothing before enough was answered. */
export function AccuracyNote() {
  const { data } = useAccuracy()
  const sentences = data === undefined ? [] : sentencesOf(data)
  if (data === undefined || sentences.length === 0) return null
  return <p className="note accuracy">{[...sentences, ...sourcesOf(data)].join(' ')}</p>
}

/** Whether the account is shown the surer texts alone. */
export function StrictnessChoice() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data } = useAccuracy()
  const change = useMutation({
    mutationFn: (strictness: Accuracy['strictness']) => dataOf(api.PUT('/api/v1/accuracy', { body: { strictness } })),
    onSuccess: (accuracy) => queries.setQueryData([owner, 'accuracy'], accuracy),
  })
  if (data === undefined) return null
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={(change.isPending ? change.variables : data.strictness) === 'strict'}
          disabled={change.isPending}
          onChange={({ target }) => change.mutate(target.checked ? 'strict' : 'usual')}
        />{' '}
        {texts.strict}
      </label>
      <p className="note">{texts.strictNote}</p>
      {change.error !== null && <Problem error={change.error} />}
    </>
  )
}

/** The same by platform, where it is known. */
export function AccuracyByPlatform() {
  const { data } = useAccuracy()
  const known = (data?.platforms ?? []).filter((platform) => sentencesOf(platform).length > 0)
  if (known.length === 0) return null
  return (
    <details>
      <summary>{texts.platforms}</summary>
      <ul>
        {known.map((platform) => (
          <li key={platform.platform} className="note">
            {platformTitle(platform.platform)}: {sentencesOf(platform).join(' ')}
          </li>
        ))}
      </ul>
    </details>
  )
}
