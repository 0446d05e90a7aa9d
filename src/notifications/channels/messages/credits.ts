import { counted } from '../../../accounts/events/message.ts'
import { accountLink } from '../../../http/addresses.ts'
import type { Renderer } from './renderer.ts'
import { idIn, numberIn } from './words.ts'

/** The settled credits of the month reached a threshold. The numbers are those of that moment. */
export const renderCreditsLow: Renderer = async ({ event: { subject }, publicUrl }) => {
  const number = (name: string) => numberIn(subject, name)
  const [percent, settled, limit, held, payg] = ['percent', 'settled', 'limit', 'held', 'paygBalance'].map(number)
  const month = idIn(subject, 'month')
  return {
    title: `${percent} % of the credits of ${month ?? 'this month'} are used`,
    paragraphs: [
      `${counted(settled!, 'credit')} of ${limit!.toLocaleString('en-US')} are settled, and ${held!.toLocaleString('en-US')} more are held by jobs under way.`,
      payg! > 0
        ? `Beside the pool there are ${counted(payg!, 'PAYG credit')}.`
        : 'There are no PAYG credits beside the pool.',
    ],
    sections: [],
    link: { label: 'Open the account', url: accountLink(publicUrl) },
    data: { percent, month, settled, limit, held, paygBalance: payg },
  }
}
