import { t } from '@lingui/core/macro'

export const formatTexts = {
  now: t`now`,
  justNow: t`just now`,
  inAMoment: t`in a moment`,
}
