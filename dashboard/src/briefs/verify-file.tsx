import { useMutation } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import type { Verification } from '../api/types.ts'
import { briefAddress } from '../shell/addresses.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'

/** What the service takes at most, in bytes. */
const maxBytes = 512 * 1024

/** Chooses or drops a file of a brief, and says what was changed in it and what holds no more. */
export function VerifyFile() {
  const [isOver, setOver] = useState(false)
  const [isTooLarge, setTooLarge] = useState(false)
  const verification = useMutation({
    mutationFn: async (file: File) => dataOf(api.POST('/api/v1/briefs/verify', { body: { file: await file.text() } })),
  })
  const take = (file: File | undefined) => {
    if (file === undefined) return
    // The body has more signs than the file.
    setTooLarge(file.size > maxBytes)
    verification.reset()
    if (file.size > 0 && file.size <= maxBytes) verification.mutate(file)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer?.files[0])
  }
  return (
    <section
      className="verify"
      aria-labelledby="verify"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2 id="verify">{texts.verify}</h2>
      <p className="note">{texts.verifyIntro}</p>
      <label>
        <span>{texts.file}</span>
        <input
          type="file"
          accept=".md,.html,.json,text/markdown,text/html,application/json"
          onChange={({ target }) => {
            take(target.files?.[0])
            // The same file can be chosen again after it was mended.
            target.value = ''
          }}
        />
      </label>
      <div role="status">
        {isTooLarge && <p>{texts.tooLarge}</p>}
        {verification.isPending && <p>{texts.verifying}</p>}
        {verification.data && <Result name={verification.variables?.name ?? ''} found={verification.data} />}
      </div>
      {verification.error !== null && <Problem error={verification.error} />}
    </section>
  )
}

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
                <del>{made || texts.nothing}</del>
              </p>
              <p dir="auto">
                <ins>{file || texts.nothing}</ins>
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
