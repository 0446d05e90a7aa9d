import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { BriefTarget, NewBrief } from '../api/types.ts'
import { briefAddress, briefsAddress } from '../shell/addresses.ts'
import { Modal } from '../shell/modal.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'
import { briefsKey } from './use-briefs.ts'

const maxQuestion = 300

/** Asks what is to be decided, and opens the brief that is made. */
export default function BriefDialog({ target, close }: { target: BriefTarget; close: () => void }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const [question, setQuestion] = useState('')
  const asked = question.trim()
  const wanted: NewBrief = { ...target, ...(asked === '' ? {} : { question: asked }) }
  const making = useMutation({
    mutationFn: (body: NewBrief) => dataOf(api.POST('/api/v1/briefs', { body, params: once(keyFor(body)) })),
    onSuccess: ({ briefId }) => {
      done()
      void queries.invalidateQueries({ queryKey: briefsKey(owner) })
      close()
      navigate(briefAddress(briefId))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!making.isPending) making.mutate(wanted)
  }
  return (
    <Modal title={texts.make} close={close}>
      <form className="share-form" onSubmit={submit}>
        <p className="note">{texts.intro}</p>
        <label>
          <span>{texts.question}</span>
          <input
            dir="auto"
            maxLength={maxQuestion}
            value={question}
            placeholder={texts.questionPlaceholder}
            onChange={({ target: { value } }) => setQuestion(value)}
          />
        </label>
        {making.error !== null && <Problem error={making.error} retry={() => making.mutate(wanted)} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={making.isPending}>
            {making.isPending ? texts.making : texts.make}
          </button>
          <Link href={briefsAddress} onClick={close}>
            {texts.all}
          </Link>
        </div>
      </form>
    </Modal>
  )
}
