import { useMayChange } from '../api/session-store.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { feedbackTexts as texts } from '../texts/later/feedback.ts'
import { useImportDeletion, useImports } from './use-imports.ts'

/** The imports of the account, to be deleted as a whole. */
export function ImportList() {
  const { data, error, refetch } = useImports()
  const deletion = useImportDeletion()
  const mayChange = useMayChange()
  return (
    <section aria-labelledby="imports">
      <h2 id="imports">{texts.imports}</h2>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      <ul className="imports">
        {data?.map(({ name, asks, unindexed, importedAt }) => (
          <li key={name}>
            <strong>import:{name}</strong>{' '}
            <span className="note">
              {texts.asks(asks)}
              {unindexed > 0 && `, ${texts.unindexed(unindexed)}`}
            </span>{' '}
            <time className="note" dateTime={importedAt}>
              {ago(importedAt)}
            </time>{' '}
            {mayChange && (
              <ConfirmButton
                label={texts.deleteLabel(name)}
                question={texts.deleteQuestion(asks)}
                confirm={texts.deleteConfirm}
                busy={deletion.isPending && deletion.variables === name}
                onConfirm={() => deletion.mutate(name)}
              >
                {texts.delete}
              </ConfirmButton>
            )}
          </li>
        ))}
      </ul>
      {deletion.error !== null && <Problem error={deletion.error} />}
    </section>
  )
}
