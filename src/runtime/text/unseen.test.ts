import { describe, expect, it } from 'vitest'
import { printable } from '../../cli/text.ts'
import { toLine } from '../../notifications/channels/adapters/text.ts'
import { cleanText } from '../../notifications/mail/foreign-text.ts'
import { discourseWords } from '../../platforms/adapters/discourse/forum.ts'
import { withoutUnseen } from './unseen.ts'

/** Every place that leaves out what is not seen. */
const places: [name: string, show: (text: string) => string][] = [
  ['a chat', (text) => toLine(text, 200)],
  ['a mail', (text) => cleanText(text, 200)],
  ['a terminal', printable],
  ['a search of a forum', (text) => discourseWords(text.split(' ')).join(' ')],
]

describe.each(places)('what is not seen, in %s', (_name, show) => {
  it.each([
    ['Persian', 'می\u200cخواهم'],
    ['Hindi', 'क्\u200dष'],
    ['an emoji of two', '👩\u200d🚀'],
    ['an emoji with a selector', '❤\ufe0f\u200d🔥'],
    ['the sign of an Iranian year', 'ه\u200d.ش'],
    ['a word after a sign', 'C++\u200cها'],
    ['a flag', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['the sign of an Arabic year', 'سنة\u0601'],
  ])('never is a part of a word or a sign: %s', (_what, text) => {
    expect(show(text)).toBe(text)
  })

  it.each([
    ['of another direction', 'exe.\u202egpj\u2066x\u2069', 'exe.gpjx'],
    ['of no width', 'dark\u200b\u2060\ufeff mode\u00ad', 'dark mode'],
    ['tags', 'dark\u{e0041}\u{e007f} mode', 'dark mode'],
    ['joiners that join nothing', '\u200d dark \u200c\u200cmode', 'dark mode'],
    ['all joiners of a run but one', 'می\u200c\u200cخواهم', 'می\u200cخواهم'],
  ])('goes: %s', (_what, text, shown) => {
    expect(show(text).replace(/\s+/g, ' ').trim()).toBe(shown)
  })
})

it('takes time linear in a text of joiners', () => {
  expect(withoutUnseen(`a${'\u200d'.repeat(200_000)}b`)).toBe('a\u200db')
})
