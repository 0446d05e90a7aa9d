import { useMayChange } from '../api/session-store.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Problem } from '../shell/problem.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'
import { useBriefDeletion } from './use-briefs.ts'

interface DeleteBriefProps {
  briefId: string
  name: string
  onDeleted?: () => void
}

/** Deletes a brief, after a question: it cannot be made again as it was. */
export function DeleteBrief({ briefId, name, onDeleted }: DeleteBriefProps) {
  const deletion = useBriefDeletion(onDeleted)
  if (!useMayChange()) return null
  return (
    <>
      <ConfirmButton
        label={texts.deleteLabel(name)}
        question={texts.deleteQuestion}
        confirm={texts.deleteConfirm}
        busy={deletion.isPending}
        onConfirm={() => deletion.mutate(briefId)}
      >
        {texts.delete}
      </ConfirmButton>
      {deletion.error !== null && <Problem error={deletion.error} retry={() => deletion.mutate(briefId)} />}
    </>
  )
}
