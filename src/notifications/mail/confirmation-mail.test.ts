import { expect, it } from 'vitest'
import { confirmationContent } from './templates/content.ts'
import { renderHtml, renderText } from './templates/html.ts'

it('names the service that asks by its whole host, which the breaking of foreign links leaves alone', () => {
  const base = 'http://127.0.0.1:4680'
  const content = confirmationContent({ publicUrl: base, confirmUrl: `${base}/c`, refuseUrl: `${base}/r` })
  for (const mail of [renderText(content), renderHtml(content)]) {
    expect(mail).toContain('the Wishwell at 127.0.0.1:4680 to send news to this address')
  }
})
