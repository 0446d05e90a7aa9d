import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ListView } from '../api/types.ts'
import type { View } from '../search/view.ts'
import { Modal } from '../shell/modal.tsx'
import { Problem } from '../shell/problem.tsx'
import { tell } from '../shell/toast.tsx'
import { listActionTexts } from '../texts/list-actions.ts'
import { viewTexts as texts } from '../texts/views.ts'
import { wishTexts } from '../texts/wishes.ts'
import { chipsOf } from './active-filters.tsx'
import { contentOf, type KeptView, useViewChanges } from './saved-views.ts'

const maxName = 80

interface ViewDialogProps {
  view: View
  /** The saved view whose name changes; null for a new one. */
  kept: KeptView | null
  close: () => void
  onDeleted?: () => void
}

/** Asks for the name of a view. */
export default function ViewDialog({ view, kept, close, onDeleted }: ViewDialogProps) {
  const { create, change, remove } = useViewChanges()
  const [name, setName] = useState(kept?.name ?? '')
  const content = contentOf(view, kept?.periodDays)
  const saving = useMutation({
    mutationFn: async (wanted: string) => {
      if (kept) await change(kept.viewId, { name: wanted })
      else if (content) await create({ name: wanted, ...content })
    },
    onSuccess: (_nothing, wanted) => {
      tell({ text: texts.saved(wanted), undo: kept && (() => change(kept.viewId, { name: kept.name })) })
      close()
    },
  })
  const deleting = useMutation({
    mutationFn: ({ viewId }: KeptView) => remove(viewId),
    onSuccess: (_nothing, { name: old, view: list, periodDays }) => {
      tell({
        text: texts.deleted(old),
        undo: () => create({ name: old, view: list as ListView, periodDays }),
      })
      onDeleted?.()
    },
  })
  const wanted = name.trim()
  const isBusy = saving.isPending || deleting.isPending
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && wanted !== '') saving.mutate(wanted)
  }
  const error = saving.error ?? deleting.error
  return (
    <Modal title={kept ? texts.changeTitle : texts.saveTitle} close={close}>
      <form className="share-form" onSubmit={submit}>
        <p className="note">{texts.keeps(describe(view, content?.periodDays ?? null))}</p>
        <label>
          <span>{texts.name}</span>
          <input
            dir="auto"
            required
            maxLength={maxName}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        {error !== null && <Problem error={error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={isBusy || wanted === '' || wanted === kept?.name}>
            {saving.isPending ? texts.saving : kept ? texts.rename : listActionTexts.save}
          </button>
          {kept && (
            <button type="button" className="danger" disabled={isBusy} onClick={() => deleting.mutate(kept)}>
              {texts.delete}
            </button>
          )}
        </div>
      </form>
    </Modal>
  )
}

/** What a view keeps, in words. */
function describe(view: View, periodDays: number | null): string[] {
  const fixed = periodDays === null ? view : { ...view, since: '' }
  return [
    ...(view.query === '' ? [] : [texts.words(view.query)]),
    ...(periodDays === null ? [] : [texts.lastDays(periodDays)]),
    ...chipsOf(fixed).map(([name]) => name),
    texts.order(wishTexts.orders[view.sortBy]),
  ]
}
