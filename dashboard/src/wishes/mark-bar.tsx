import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { useMayChange } from '../api/session-store.ts'
import type { MarkChange, WishDetail } from '../api/types.ts'
import { wishMarks } from '../search/view.ts'
import { focusAtOnce, focusWhenThere } from '../shell/focus.ts'
import { Problem } from '../shell/problem.tsx'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { useChanges } from './changes.ts'

/** What the account decides and notes about a wish. */
export function MarkBar({ wish }: { wish: WishDetail }) {
  const { mark } = useChanges()
  const mayChange = useMayChange()
  const [error, setError] = useState<unknown>(null)
  const present = wish.mark
  const change = (next: MarkChange) => {
    setError(null)
    mark(wish, present, next).catch(setError)
  }
  if (!mayChange) return <ReadOnly wish={wish} />
  return (
    <div className="mark-bar">
      <fieldset className="marks-choice">
        <legend className="unseen">{texts.markLabel}</legend>
        {wishMarks.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={present?.mark === name}
            onClick={() => change({ mark: present?.mark === name ? null : name })}
          >
            {texts.marks[name]}
          </button>
        ))}
        <button
          type="button"
          className="star"
          aria-pressed={present?.starred ?? false}
          onClick={() => change({ starred: !(present?.starred ?? false) })}
        >
          <span aria-hidden="true">{present?.starred ? '★' : '☆'}</span> {texts.star}
        </button>
      </fieldset>
      <Owner owner={present?.owner ?? ''} save={(owner) => change({ owner })} />
      <Note note={present?.note ?? ''} save={(note) => change({ note })} />
      {error !== null && <Problem error={error} />}
    </div>
  )
}

const ReadOnly = ({ wish: { mark } }: { wish: WishDetail }) =>
  mark === null ? null : (
    <p className="mark-bar">
      {mark.mark && <span className={`badge mark-${mark.mark}`}>{texts.marks[mark.mark]}</span>}{' '}
      {mark.owner !== '' && texts.ownedBy(mark.owner)} {mark.note}
    </p>
  )

const maxOwner = 100

/** Who looks after it; it is saved when the field is left, or by Enter. */
function Owner({ owner, save }: { owner: string; save: (owner: string) => void }) {
  const [text, setText] = useState(owner)
  useEffect(() => setText(owner), [owner])
  const submit = () => {
    if (text.trim() !== owner) save(text.trim())
  }
  return (
    <form
      className="wish-owner"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <label>
        <span>{texts.owner}</span>
        <input
          dir="auto"
          maxLength={maxOwner}
          placeholder={texts.nobody}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={submit}
        />
      </label>
    </form>
  )
}

const maxNote = 2_000

/** Enter begins a new line of a note, so Ctrl and Enter save it. */
function saveByKey(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
}

/** Who decides, why, and what comes next, in the words of the account. */
function Note({ note, save }: { note: string; save: (note: string) => void }) {
  const [text, setText] = useState<string | null>(null)
  if (text === null) {
    return (
      <p className="wish-note" dir="auto">
        {note !== '' && <span>{note}</span>}{' '}
        <button id="note-button" type="button" className="as-link" onClick={() => setText(note)}>
          {note === '' ? texts.addNote : texts.changeNote}
        </button>
      </p>
    )
  }
  const close = () => {
    setText(null)
    focusWhenThere('note-button')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(text.trim())
    close()
  }
  return (
    <form className="wish-note" onSubmit={submit}>
      <label>
        <span className="unseen">{texts.note}</span>
        <textarea
          ref={focusAtOnce}
          dir="auto"
          rows={3}
          maxLength={maxNote}
          value={text}
          placeholder={texts.notePlaceholder}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={saveByKey}
        />
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          {texts.saveNote}
        </button>
        <button type="button" className="quiet" onClick={close}>
          {texts.cancel}
        </button>
      </div>
    </form>
  )
}
