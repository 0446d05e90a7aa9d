import type { ImportQuery, ImportResult } from '../api/types.ts'
import { date, number } from '../shell/format.ts'
import { feedbackTexts as texts } from '../texts/later/feedback.ts'
import { searchTexts } from '../texts/search.ts'

const fields = Object.keys(texts.fields) as (keyof typeof texts.fields)[]

interface CheckedFileProps {
  checked: ImportResult
  query: ImportQuery
  isBusy: boolean
  onChange: (query: ImportQuery) => void
  onRename: (name: string) => void
  onImport: () => void
}

/** What a file would become: which column is which field, and the first of its asks. */
export function CheckedFile({ checked, query, isBusy, onChange, onRename, onImport }: CheckedFileProps) {
  const columns = [...Object.values(checked.columns), ...checked.unused]
  const mapped: Record<string, string> = query.map === undefined ? {} : JSON.parse(query.map)
  const choose = (field: string, column: string) =>
    onChange({ ...query, map: JSON.stringify({ ...mapped, [field]: column }) })
  return (
    <form
      className="start-form"
      onSubmit={(event) => {
        event.preventDefault()
        onImport()
      }}
    >
      <p>{texts.found(checked)}</p>
      <div className="field">
        <label htmlFor="import-name">{texts.name}</label>
        <input
          id="import-name"
          required
          pattern="[a-z0-9][a-z0-9\-]{0,39}"
          title={texts.nameForm}
          value={query.name}
          onChange={({ target }) => onRename(target.value)}
        />
        <p className="note">{texts.nameNote(query.name)}</p>
      </div>
      <fieldset>
        <legend>{texts.columns}</legend>
        <div className="form-row">
          {fields.map((field) => (
            <div key={field} className="field">
              <label htmlFor={`column-${field}`}>{texts.fields[field]}</label>
              <select
                id={`column-${field}`}
                value={checked.columns[field] ?? ''}
                disabled={isBusy}
                onChange={({ target }) => choose(field, target.value)}
              >
                <option value="">{texts.noColumn}</option>
                {columns.map((column) => (
                  <option key={column}>{column}</option>
                ))}
              </select>
            </div>
          ))}
        </div>
      </fieldset>
      <label className="check">
        <input
          type="checkbox"
          checked={checked.areRequests}
          disabled={isBusy}
          onChange={({ target }) => onChange({ ...query, areRequests: target.checked })}
        />{' '}
        {texts.areRequests}
      </label>
      <h3>{texts.sample}</h3>
      <Sample asks={checked.sample} />
      <div>
        <button type="submit" className="primary" disabled={isBusy}>
          {texts.import(checked.asks)}
        </button>
      </div>
    </form>
  )
}

const Sample = ({ asks }: { asks: ImportResult['sample'] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.sample}>
    <table>
      <caption className="unseen">{texts.sample}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.fields.title}</th>
          <th scope="col">{texts.fields.description}</th>
          <th scope="col" className="number">
            {texts.fields.votes}
          </th>
          <th scope="col">{texts.fields.status}</th>
          <th scope="col">{texts.fields.author}</th>
          <th scope="col">{texts.fields.createdAt}</th>
        </tr>
      </thead>
      <tbody>
        {asks.map(({ title, description, votes, status, author, createdAt }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is as it was answered
          <tr key={at}>
            <th scope="row">
              <bdi>{title}</bdi>
            </th>
            <td dir="auto">{description.slice(0, 120)}</td>
            <td className="number">{number(votes)}</td>
            <td>{status === null ? '' : searchTexts.status(status)}</td>
            <td>
              <bdi>{author}</bdi>
            </td>
            <td>{createdAt === null ? '' : date(createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
