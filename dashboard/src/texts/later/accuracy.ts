import { t } from '@lingui/core/macro'
import './messages.ts'
import { number } from '../../shell/format.ts'

/** Shares as whole numbers of 100 texts. */
interface OfHundred {
  share: number
  low: number
  high: number
}

const range = ({ share, low, high }: OfHundred) => t`${number(share)} (${number(low)} to ${number(high)})`

export const accuracyTexts = {
  shown: (shown: OfHundred) => t`Of 100 shown texts, ${range(shown)} are requests.`,
  hidden: (hidden: OfHundred) => t`Of 100 hidden texts, ${range(hidden)} are requests.`,
  from: {
    account: (labels: string) => t`From your answers: ${labels}.`,
    operator: (labels: string) => t`From the operator’s answers: ${labels}.`,
  },
  platforms: t`By platform`,
  strict: t`Show surer texts only`,
  strictNote: t`Fewer texts are shown, and more of them are requests. Lists follow within minutes; the others may be requests, and you can include them.`,
}
