import { useState } from 'react'
import { nameOfFile } from '../../../src/feedback/names.ts'
import { ApiError } from '../api/client.ts'
import { useMayChange } from '../api/session-store.ts'
import { collectAddress } from '../shell/addresses.ts'
import { FileField } from '../shell/file-field.tsx'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { feedbackTexts as texts } from '../texts/later/feedback.ts'
import { CheckedFile } from './checked-file.tsx'
import { ImportList } from './import-list.tsx'
import { type FileToImport, useFileCheck, useFileImport } from './use-imports.ts'

/** Imports a file: it is checked first, and shows what would be stored. */
export function ImportPage() {
  const mayChange = useMayChange()
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <Link className="button" href={collectAddress}>
          {texts.toCollect}
        </Link>
      }
    >
      {mayChange && <ImportFile />}
      <ImportList />
    </Page>
  )
}

function ImportFile() {
  const [chosen, setChosen] = useState<FileToImport | null>(null)
  const check = useFileCheck()
  const importing = useFileImport()
  const look = (next: FileToImport) => {
    importing.reset()
    setChosen(next)
    check.mutate(next)
  }
  return (
    <FileField
      id="file"
      title={texts.choose}
      intro={texts.chooseIntro}
      label={texts.file}
      accept=".csv,.tsv,.json,.jsonl,.ndjson,text/csv,application/json"
      onFile={(file) => look({ file, query: { name: nameOfFile(file.name) } })}
    >
      <div role="status">
        {check.isPending && <Loading what={texts.checking} />}
        {importing.isPending && <Loading what={texts.importing} />}
        {importing.data?.stored && <p>{texts.imported(importing.data.name, importing.data.stored)}</p>}
      </div>
      <FileProblem error={importing.error ?? check.error} />
      {chosen !== null && check.data && !importing.data && (
        <CheckedFile
          checked={check.data}
          query={chosen.query}
          isBusy={check.isPending || importing.isPending}
          onChange={(query) => look({ ...chosen, query })}
          onRename={(name) => setChosen({ ...chosen, query: { ...chosen.query, name } })}
          onImport={() => importing.mutate(chosen)}
        />
      )}
    </FileField>
  )
}

/** Why a file is refused, with each row that is wrong. */
function FileProblem({ error }: { error: Error | null }) {
  if (error === null) return null
  const details = error instanceof ApiError ? (error.body?.details ?? []) : []
  return (
    <>
      <Problem error={error} />
      {details.length > 1 && (
        <ul className="wrong-rows">
          {details.map(({ path, message }) => (
            <li key={path}>
              <strong>{path}</strong> <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
