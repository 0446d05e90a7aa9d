import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { Verification } from '../api/types.ts'
import { briefAddress } from '../shell/addresses.ts'
import { FileField } from '../shell/file-field.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'

/** What the service takes at most, in bytes. */
const maxBytes = 512 * 1024

/** Chooses or drops a file of a brief, and says what was changed in it and what holds no more. */
export function VerifyFile() {
  const [isTooLarge, setTooLarge] = useState(false)
  const verification = useMutation({
    mutationFn: async (file: File) => dataOf(api.POST('/api/v1/briefs/verify', { body: { file: await file.text() } })),
  })
  const take = (file: File) => {
    // The body has more signs than the file.
    setTooLarge(file.size > maxBytes)
    verification.reset()
    if (file.size > 0 && file.size <= maxBytes) verification.mutate(file)
  }
  return (
    <FileField
      id="verify"
      title={texts.verify}
      intro={texts.verifyIntro}
      label={texts.file}
      accept=".md,.html,.json,text/markdown,text/html,application/json"
      onFile={take}
    >
      <div role="status">
        {isTooLarge && <p>{texts.tooLarge}</p>}
        {verification.isPending && <p>{texts.verifying}</p>}
        {verification.data && <Result name={verification.variables?.name ?? ''} found={verification.data} />}
      </div>
      {verification.error !== null && <Problem error={verification.error} />}
    </FileField>
  )
}

/** What differs in its white space alone is shown with it. */
const visible = (text: string, other: string): string =>
  text.replace(/\s+/gu, ' ').trim() === other.replace(/\s+/gu, ' ').trim() ? JSON.stringify(text) : text

function Result({ name, found }: { name: string; found: Verification }) {
  const { verdict, briefId, changes, removed, noLongerHolds } = found
  return (
    <div className="verified" data-verdict={verdict}>
      <p>
        <strong>{texts.verdicts[verdict]}</strong> <bdi>{name}</bdi>
      </p>
      <p>
        {texts.verdictAdvice[verdict]} {briefId !== null && <Link href={briefAddress(briefId)}>{texts.toBrief}</Link>}
      </p>
      {changes.length > 0 && (
        <ul className="changes">
          {changes.map(({ line, made, file }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is as it was answered
            <li key={at}>
              <p className="note">{texts.line(line)}</p>
              <p dir="auto">
                <del>{visible(made, file) || texts.nothing}</del>
              </p>
              <p dir="auto">
                <ins>{visible(file, made) || texts.nothing}</ins>
              </p>
            </li>
          ))}
        </ul>
      )}
      {removed > 0 && <p>{texts.removedSince(removed)}</p>}
      {noLongerHolds.length > 0 && (
        <>
          <h3>{texts.different}</h3>
          <ul className="changes">
            {noLongerHolds.map(({ what, wishId, requestId, was, now }) => (
              <li key={`${what} ${wishId} ${requestId} ${was}`} dir="auto">
                {texts.differences[what](was ?? texts.nothing, now ?? texts.nothing)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
