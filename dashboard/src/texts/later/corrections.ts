import { t } from '@lingui/core/macro'
import './messages.ts'

/** Long titles would hide the undo. */
const short = (title: string | null) => {
  const characters = [...(title ?? '')]
  if (characters.length === 0) return t`another wish`
  const shown = characters.length > 60 ? `${characters.slice(0, 60).join('')} …` : characters.join('')
  return t`“${shown}”`
}

export const correctionTexts = {
  label: t`What was corrected`,
  by: (name: string | null) => (name === null ? t`by you` : t`by ${name}`),
  merged: (title: string | null, by: string) => t`Merged with ${short(title)} ${by}.`,
  tookOut: (title: string | null, by: string) =>
    title === null ? t`A request was split off ${by}.` : t`${short(title)} was split off ${by}.`,
  splitOff: (by: string) => t`Split off ${by} from`,
  formerly: t`another wish`,
  notTheSame: (by: string) => t`Said ${by} to be not the same as`,
  undo: { merge: t`Separate`, split: t`Undo`, part: t`Undo` },
  undoLabel: { merge: t`Separate the merged wishes`, split: t`Undo the split`, part: t`Undo “not the same”` },
  undone: { merge: t`They are two wishes again.`, split: t`It is one wish again.`, part: t`Undone.` },
}
