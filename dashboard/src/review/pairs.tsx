import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { Suggestion } from '../api/types.ts'
import { Description } from '../search/request-parts.tsx'
import { wishAddress } from '../shell/addresses.ts'
import { percent, platformTitle } from '../shell/format.ts'
import { Empty, Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { counts, ownAsks } from '../texts/counts.ts'
import { reviewTexts as texts } from '../texts/later/review.ts'
import { useChanges } from '../wishes/changes.ts'

type Answer = 'same' | 'not_the_same' | 'skip'

interface Answered {
  pair: Suggestion
  said: Answer
  correctionId: string
}

/** Answers pairs. What was answered stays, with its undo, until the page is left. */
function useAnswers() {
  const { undo, reread } = useChanges()
  const { keyFor, done } = useIntention()
  const [answered, setAnswered] = useState<Answered[]>([])
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const attempt = async (action: () => Promise<unknown>) => {
    setState({ busy: true, error: null })
    try {
      await action()
      setState({ busy: false, error: null })
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  const takeBack = async (correctionId: string) => {
    await undo(correctionId)
    setAnswered((before) => before.filter((one) => one.correctionId !== correctionId))
  }
  const answer = (pair: Suggestion, said: Answer) =>
    attempt(async () => {
      const { suggestionId } = pair
      const { correctionId } = await dataOf(
        api.POST('/api/v1/suggestions/wishes/{suggestionId}', {
          body: { answer: said },
          params: { path: { suggestionId }, ...once(keyFor([suggestionId, said])) },
        }),
      )
      done()
      setAnswered((before) => [{ pair, said, correctionId }, ...before])
      await reread()
    })
  return { ...state, answered, answer, takeBack: (correctionId: string) => attempt(() => takeBack(correctionId)) }
}

/** Pairs of wishes that may be the same: the next one to decide, and those that were decided here. */
export function Pairs() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'suggestions', 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/suggestions/wishes', { params: { query: { limit: 100 } }, signal })),
  })
  const { answered, answer, takeBack, busy, error: refused } = useAnswers()
  const open = data?.results.filter(
    ({ suggestionId }) => !answered.some(({ pair }) => pair.suggestionId === suggestionId),
  )
  // The most alike first: they are decided in a moment.
  const pair = open?.toSorted((one, other) => other.similarity - one.similarity)[0]
  return (
    <section aria-labelledby="pairs">
      <h2 id="pairs">{texts.pairs}</h2>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && !pair && <Empty title={texts.noPairs} />}
      {pair && (
        <article className="pair" aria-label={texts.pairLabel}>
          <p className="note">{texts.pairsLeft(open!.length, data!.hasMore)}</p>
          <PairWishes pair={pair} />
          <Reasons pair={pair} />
          <div className="actions">
            {(['same', 'not_the_same', 'skip'] as const).map((said) => (
              <button
                key={said}
                type="button"
                className={said === 'skip' ? 'quiet' : ''}
                disabled={busy}
                onClick={() => void answer(pair, said)}
              >
                {texts.answers[said]}
              </button>
            ))}
          </div>
        </article>
      )}
      {refused !== null && <Problem error={refused} retry={refetch} />}
      <div role="status">
        {answered.map((one) => (
          <AnsweredPair key={one.correctionId} answered={one} busy={busy} takeBack={takeBack} />
        ))}
      </div>
    </section>
  )
}

interface AnsweredPairProps {
  answered: Answered
  busy: boolean
  takeBack: (correctionId: string) => Promise<void>
}

const AnsweredPair = ({ answered: { pair, said, correctionId }, busy, takeBack }: AnsweredPairProps) => (
  <article className="pair answered" aria-label={texts.answeredLabel}>
    <p dir="auto">{texts.titlesOf(pair.wishes.map(({ title }) => title))}</p>
    <p className="member-actions">
      <span className="note">{texts.answered[said]}</span>
      <button type="button" className="quiet small" disabled={busy} onClick={() => void takeBack(correctionId)}>
        {texts.undoAnswer}
      </button>
    </p>
  </article>
)

const PairWishes = ({ pair }: { pair: Suggestion }) => (
  <div className="pair-wishes">
    {pair.wishes.map((wish) => (
      <div key={wish.wishId}>
        <h3 dir="auto">
          <Link href={wishAddress(wish.wishId)}>{wish.title}</Link>
        </h3>
        <p className="note">
          {counts.votes(wish.votes)} · {counts.requests(wish.requestCount)} · {wish.own && `${ownAsks(wish.own)} · `}
          {wish.platforms.map(platformTitle).join(', ')}
        </p>
        <Description request={wish.topRequest} />
      </div>
    ))}
  </div>
)

function Reasons({ pair: { similarity, judgedSame, reasons } }: { pair: Suggestion }) {
  const said = (side: 'for' | 'against') => reasons[side].map(({ kind, words }) => texts.reason(kind, words)).join('; ')
  return (
    <p className="note">
      {texts.alike(percent(similarity))}
      {judgedSame !== null && ` ${texts.judged(judgedSame)}`}
      {reasons.for.length > 0 && ` ${texts.speaksFor(said('for'))}`}
      {reasons.against.length > 0 && ` ${texts.speaksAgainst(said('against'))}`}
    </p>
  )
}
