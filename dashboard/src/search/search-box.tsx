import { searchBoxId } from '../shell/typing.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { useDraft } from './use-draft.ts'
import { maxQueryLength } from './view.ts'

/** The field of the query. Its text becomes the address while it is typed. */
export function SearchBox({ query }: { query: string }) {
  const { draft, type, submit } = useDraft(query)
  return (
    <search>
      <form
        className="search-box"
        onSubmit={(event) => {
          event.preventDefault()
          submit(draft)
        }}
      >
        <label className="unseen" htmlFor={searchBoxId}>
          {texts.boxLabel}
        </label>
        <input
          id={searchBoxId}
          type="search"
          dir="auto"
          autoComplete="off"
          enterKeyHint="search"
          maxLength={maxQueryLength}
          placeholder={texts.boxPlaceholder}
          value={draft}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') {
              event.preventDefault()
              document.querySelector<HTMLElement>('a[data-row]')?.focus()
            }
            if (event.key !== 'Escape') return
            event.preventDefault()
            // Once it is empty, the keys of the list are those that are pressed next.
            if (draft === '') event.currentTarget.blur()
            else submit('')
          }}
        />
        <span className="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}
