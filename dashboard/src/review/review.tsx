import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { RequestRecord, Suggestion } from '../api/types.ts'
import { Correction } from '../search/correction.tsx'
import { Description, Origin, SourceLink } from '../search/request-parts.tsx'
import { wishAddress } from '../shell/addresses.ts'
import { percent, platformTitle } from '../shell/format.ts'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { tell } from '../shell/toast.tsx'
import { counts } from '../texts/counts.ts'
import { reviewTexts as texts } from '../texts/later/review.ts'
import { useChanges } from '../wishes/changes.ts'

/** What people decide one by one: pairs of wishes that may be the same, and texts that may be requests. It counts at once. */
export function ReviewPage() {
  const mayChange = useMayChange()
  return (
    <Page title={texts.title} intro={mayChange ? texts.intro : texts.readOnly}>
      {mayChange && <Pairs />}
      {mayChange && <Texts />}
    </Page>
  )
}

type Answer = 'same' | 'not_the_same' | 'skip'

/** Answers a pair; what was answered goes, and the next one comes. */
function useAnswer() {
  const { reread } = useChanges()
  const { keyFor, done } = useIntention()
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const answer = async (suggestion: Suggestion, said: Answer) => {
    setState({ busy: true, error: null })
    try {
      const { correctionId } = await dataOf(
        api.POST('/api/v1/suggestions/wishes/{suggestionId}', {
          body: { answer: said },
          params: { path: { suggestionId: suggestion.suggestionId }, ...once(keyFor([suggestion.suggestionId, said])) },
        }),
      )
      done()
      await reread()
      const path = { correctionId }
      const undo = () =>
        dataOf(api.DELETE('/api/v1/corrections/wishes/{correctionId}', { params: { path } })).then(reread)
      tell({ text: texts.answered[said], undo })
      setState({ busy: false, error: null })
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  return { ...state, answer }
}

function Pairs() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'suggestions', 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/suggestions/wishes', { params: { query: { limit: 100 } }, signal })),
  })
  const { answer, busy, error: refused } = useAnswer()
  // The most alike first: they are decided in a moment.
  const pair = data?.results.toSorted((one, other) => other.similarity - one.similarity)[0]
  return (
    <section aria-labelledby="pairs">
      <h2 id="pairs">{texts.pairs}</h2>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && !pair && <Empty title={texts.noPairs} />}
      {pair && (
        <article className="pair" aria-label={texts.pairLabel}>
          <p className="note">{texts.pairsLeft(data.results.length, data.hasMore)}</p>
          <div className="pair-wishes">
            {pair.wishes.map((wish) => (
              <div key={wish.wishId}>
                <h3 dir="auto">
                  <Link href={wishAddress(wish.wishId)}>{wish.title}</Link>
                </h3>
                <p className="note">
                  {counts.votes(wish.votes)} · {counts.requests(wish.requestCount)} ·{' '}
                  {wish.platforms.map(platformTitle).join(', ')}
                </p>
                <Description request={wish.topRequest} />
              </div>
            ))}
          </div>
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
          {refused !== null && <Problem error={refused} retry={refetch} />}
        </article>
      )}
    </section>
  )
}

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

const shownTexts = 10

/** The most voted texts that may be requests, and that nobody has judged. */
function Texts() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'rows', 'doubtful'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/requests', { params: { query: { include: 'maybe', sortBy: 'votes', limit: 100 } }, signal }),
      ),
    // What was judged stays with its undo until the page is left.
    gcTime: 0,
  })
  const doubtful = data?.results
    .filter(({ likelihood, corrected }) => likelihood === 'maybe' && !corrected)
    .slice(0, shownTexts)
  return (
    <section aria-labelledby="doubtful">
      <h2 id="doubtful">{texts.doubtful}</h2>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {doubtful?.length === 0 && <Empty title={texts.noDoubtful} />}
      <ol className="doubtful">
        {doubtful?.map((request) => (
          <DoubtfulText key={request._id} request={request} />
        ))}
      </ol>
    </section>
  )
}

const DoubtfulText = ({ request }: { request: RequestRecord }) => (
  <li className="member">
    <p className="member-title">
      <bdi>
        <SourceLink request={request}>{request.title}</SourceLink>
      </bdi>{' '}
      <span className="note">{counts.votes(request.votes)}</span>
    </p>
    <Description request={request} />
    <Origin request={request} />
    <p className="member-actions">
      <Correction request={request} />
    </p>
  </li>
)
