import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, useState } from 'react'
import { platformTitles } from '../../../src/platforms/titles.ts'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { PlatformName } from '../api/types.ts'
import { Aside } from '../shell/aside.tsx'
import { platformTitle } from '../shell/format.ts'
import { Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { purgeTexts as texts } from '../texts/later/purge.ts'
import type { ChosenPurge, PurgeKind } from './purge-dialog.tsx'

const PurgeDialog = lazy(() => import('./purge-dialog.tsx'))

const kinds = ['author', 'url', 'olderThanDays', 'platform'] as const satisfies PurgeKind[]

function chosen(kind: PurgeKind, text: string, platform: string): ChosenPurge | null {
  const name = kind === 'platform' ? platformTitle(platform) : text.trim()
  if (name === '') return null
  const only = platform === '' ? {} : { platform: platform as PlatformName }
  if (kind === 'platform') return { kind, name, body: only }
  return { kind, name, body: { ...only, [kind]: kind === 'olderThanDays' ? Number(name) : name } }
}

/** Deletes requests: first it says what would go, then it asks for its name. */
export function PurgePage() {
  const owner = useOwner()
  const queries = useQueryClient()
  const [kind, setKind] = useState<PurgeKind>('author')
  const [text, setText] = useState('')
  const [platform, setPlatform] = useState('')
  const [isFaulty, setFaulty] = useState(false)
  const look = useMutation({
    mutationFn: async (purge: ChosenPurge) => ({
      purge,
      found: await dataOf(api.POST('/api/admin/purge', { body: { ...purge.body, dryRun: true } })),
    }),
  })
  const deletion = useMutation({
    mutationFn: ({ body }: ChosenPurge) => dataOf(api.POST('/api/admin/purge', { body })),
    onSuccess: () => {
      look.reset()
      setText('')
      void queries.invalidateQueries({ queryKey: [owner, 'overview'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const purge = chosen(kind, text, platform)
    setFaulty(purge === null)
    deletion.reset()
    if (purge !== null && !look.isPending) look.mutate(purge)
  }
  return (
    <Page title={texts.title} intro={texts.intro}>
      <form onSubmit={submit} noValidate>
        <div className="form-row">
          <label className="field">
            <span>{texts.what}</span>
            <select value={kind} onChange={({ target }) => setKind(target.value as PurgeKind)}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {texts.kinds[one]}
                </option>
              ))}
            </select>
          </label>
          {kind !== 'platform' && (
            <label className="field">
              <span>{texts.labels[kind]}</span>
              <input
                dir="auto"
                type={kind === 'olderThanDays' ? 'number' : 'text'}
                min={1}
                autoComplete="off"
                value={text}
                aria-invalid={isFaulty}
                aria-describedby={isFaulty ? 'purge-fault' : undefined}
                onChange={({ target }) => setText(target.value)}
              />
            </label>
          )}
          <label className="field">
            <span>{kind === 'platform' ? texts.labels.platform : texts.onlyFrom}</span>
            <select value={platform} onChange={({ target }) => setPlatform(target.value)}>
              <option value="">{kind === 'platform' ? '' : texts.anyPlatform}</option>
              {Object.entries(platformTitles).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </div>
        {isFaulty && (
          <p id="purge-fault" className="fault" role="alert">
            {texts.nameFault}
          </p>
        )}
        <div className="actions">
          <button type="submit" className="primary" disabled={look.isPending}>
            {look.isPending ? texts.looking : texts.look}
          </button>
        </div>
      </form>
      {look.error !== null && <Problem error={look.error} />}
      <p role="status">
        {deletion.data && (
          <>
            {texts.deleted(deletion.data.deleted)} {deletion.data.purgeId !== null && texts.lift(deletion.data.purgeId)}
          </>
        )}
      </p>
      {look.data && (
        <Aside>
          <PurgeDialog {...look.data} deletion={deletion} close={look.reset} />
        </Aside>
      )}
    </Page>
  )
}
