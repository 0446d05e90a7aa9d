import { t } from '@lingui/core/macro'

// Apart from those of views.ts: these are in the first script.

export const listActionTexts = {
  save: t`Save view`,
  saveAsNew: t`Save as new`,
  isKept: t`This list is a view already. Change its words, filters or order first.`,
  share: t`Share`,
  makeBrief: t`Make a brief`,
}
