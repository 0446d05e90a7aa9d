import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { TriedBoard } from '../api/types.ts'
import { FileField } from '../shell/file-field.tsx'
import { date, number } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { operatorTexts } from '../texts/later/operator.ts'
import { searchTexts } from '../texts/search.ts'

const texts = operatorTexts.board

/** Reads a board as a file describes it, and shows what would be stored. */
export function BoardTrial() {
  const [file, setFile] = useState<File | null>(null)
  const [topic, setTopic] = useState('dark mode')
  const [secret, setSecret] = useState('')
  const trial = useMutation({
    mutationFn: async (chosen: File) =>
      dataOf(
        api.POST('/api/admin/boards/try', {
          body: { description: await chosen.text(), topic, ...(secret === '' ? {} : { secret }) },
        }),
      ),
  })
  const choose = (chosen: File) => {
    trial.reset()
    setFile(chosen)
  }
  return (
    <FileField
      id="board"
      title={texts.title}
      intro={texts.intro}
      label={texts.file}
      accept=".json,application/json"
      onFile={choose}
    >
      {file !== null && (
        <form
          className="start-form"
          onSubmit={(event) => {
            event.preventDefault()
            trial.mutate(file)
          }}
        >
          <div className="form-row">
            <div className="field">
              <label htmlFor="board-topic">{texts.topic}</label>
              <input
                id="board-topic"
                required
                minLength={2}
                maxLength={100}
                value={topic}
                onChange={({ target }) => setTopic(target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="board-secret">{texts.secret}</label>
              <input
                id="board-secret"
                type="password"
                autoComplete="off"
                aria-describedby="board-secret-note"
                value={secret}
                onChange={({ target }) => setSecret(target.value)}
              />
              <p id="board-secret-note" className="note">
                {texts.secretNote}
              </p>
            </div>
          </div>
          <div>
            <button type="submit" className="primary" disabled={trial.isPending}>
              {texts.try(file.name)}
            </button>
          </div>
        </form>
      )}
      <div role="status">{trial.isPending && <Loading what={texts.trying} />}</div>
      {trial.error !== null && <Problem error={trial.error} />}
      {trial.data && <Tried tried={trial.data} />}
    </FileField>
  )
}

const Tried = ({ tried }: { tried: TriedBoard }) => (
  <>
    <ul className="wrong-rows">
      {texts.pages(tried.pages).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {tried.error === null && <li>{tried.pages.at(-1)?.hasNext ? texts.hasMore : texts.isAll}</li>}
      {[...(tried.error === null ? [] : [tried.error]), ...tried.notes].map((note) => (
        <li key={note}>
          <strong>
            <bdi>{note}</bdi>
          </strong>
        </li>
      ))}
    </ul>
    {tried.items > 0 && (
      <>
        <Table caption={texts.fields} heads={[texts.field, texts.found, texts.example]}>
          {tried.fields.map(({ field, found, example }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{texts.foundIn(found, tried.items)}</td>
              <td dir="auto">{example}</td>
            </tr>
          ))}
        </Table>
        <Table caption={texts.requests} heads={[texts.wish, texts.votes, texts.status, texts.created]}>
          {tried.requests.map(({ title, votes, status, createdAt, sourceUrl }) => (
            <tr key={sourceUrl}>
              <th scope="row">
                <bdi>{title}</bdi>
              </th>
              <td className="number">{number(votes)}</td>
              <td>{status === null ? '' : searchTexts.status(status)}</td>
              <td>{createdAt === null ? '' : date(createdAt)}</td>
            </tr>
          ))}
        </Table>
      </>
    )}
  </>
)

interface TableProps {
  caption: string
  heads: readonly string[]
  children: React.ReactNode
}

const Table = ({ caption, heads, children }: TableProps) => (
  <>
    <h3>{caption}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard */}
    <section className="table-frame" tabIndex={0} aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  </>
)
