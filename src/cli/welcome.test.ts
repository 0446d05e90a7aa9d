import { describe, expect, it } from 'vitest'
import { formatWelcome } from './serve.ts'

describe('the text of a start', () => {
  const started = {
    address: 'http://127.0.0.1:1',
    firstApiKey: null,
    signInUrl: null,
    adminKeyLocation: 'data/admin-key',
  }

  it('is how to get in, also when no key and no link are shown', () => {
    expect(formatWelcome(started, false).join('\n')).toContain('sign in:   npx wishwell admin accounts link')
    const first = formatWelcome(
      { ...started, firstApiKey: 'ww_live_x', signInUrl: 'http://127.0.0.1:1/sign-in#x' },
      false,
    )
    expect(first.join('\n')).toMatch(/ww_live_x\n.*only once/)
    expect(first.join('\n')).toMatch(/sign-in#x\n.*later: npx wishwell admin accounts link/)
  })

  it('stands apart on a terminal, and has no line but its addresses that is wider than 80 columns', () => {
    const lines = formatWelcome({ ...started, firstApiKey: 'k', signInUrl: 'u' }, true)
    expect([lines[0], lines.at(-1)]).toEqual(['', ''])
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  })
})
