import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { RequestRecord } from '../api/types.ts'
import { Description, Origin, SourceLink } from '../search/request-parts.tsx'
import { useNumberKeys } from '../shell/number-keys.ts'
import { Empty, Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { reviewTexts as texts } from '../texts/later/review.ts'
import { AccuracyByPlatform, AccuracyNote, StrictnessChoice } from './accuracy.tsx'

type Said = 'isRequest' | 'isNone' | 'skipText'
const answers = ['isRequest', 'isNone', 'skipText'] as const satisfies Said[]

/** The texts of this week, one after the other, without a word of what the detection takes them for: that would sway the answer. */
export function Drawn() {
  const owner = useOwner()
  const queries = useQueryClient()
  const drawKey = [owner, 'draw']
  const { data, error, refetch } = useQuery({
    queryKey: drawKey,
    queryFn: ({ signal }) => dataOf(api.POST('/api/v1/accuracy/draw', { signal })),
  })
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const answer = useMutation({
    mutationFn: (body: { requestId: string; isRequest: boolean }) =>
      dataOf(api.POST('/api/v1/corrections/requests', { body })),
    onSuccess: async () => {
      for (const key of ['rows', 'topics', 'changes', 'wish'])
        void queries.invalidateQueries({ queryKey: [owner, key], refetchType: 'none' })
      // The buttons wait for the next text.
      await queries.invalidateQueries({ queryKey: drawKey })
      void queries.invalidateQueries({ queryKey: [owner, 'accuracy'] })
    },
  })
  const text = data?.texts.find(({ _id }) => !skipped.includes(_id))
  const choose = (said: Said | undefined) => {
    if (!text || answer.isPending || said === undefined) return
    if (said === 'skipText') setSkipped((before) => [...before, text._id])
    else answer.mutate({ requestId: text._id, isRequest: said === 'isRequest' })
  }
  useNumberKeys((position) => choose(answers[position]))
  return (
    <section aria-labelledby="drawn">
      <h2 id="drawn">{texts.drawn}</h2>
      <p className="note">{texts.drawnIntro}</p>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && (
        <p className="note" role="status">
          {texts.drawnProgress(data.drawn - data.texts.length, data.drawn)}
        </p>
      )}
      {text && <DrawnText text={text} busy={answer.isPending} choose={choose} />}
      {data && !text && <Empty title={texts.noDrawn} />}
      {answer.error !== null && <Problem error={answer.error} retry={refetch} />}
      <AccuracyNote />
      <AccuracyByPlatform />
      <StrictnessChoice />
    </section>
  )
}

interface DrawnTextProps {
  text: RequestRecord
  busy: boolean
  choose: (said: Said) => void
}

const DrawnText = ({ text, busy, choose }: DrawnTextProps) => (
  <article className="pair" aria-label={texts.drawnLabel}>
    <h3 dir="auto">
      <SourceLink request={text}>{text.title}</SourceLink>
    </h3>
    <Description key={text._id} request={text} />
    <Origin request={text} />
    <div className="actions">
      {answers.map((said, index) => (
        <button
          key={said}
          type="button"
          className={said === 'skipText' ? 'quiet' : ''}
          aria-disabled={busy}
          aria-keyshortcuts={String(index + 1)}
          onClick={() => choose(said)}
        >
          {texts[said]}
        </button>
      ))}
    </div>
    <p className="note">{texts.drawnKeys}</p>
  </article>
)
