import { expect, it } from 'vitest'
import { countVoices, voiceOf } from './voices.ts'

/** A text of 40 words, which no other number shares. */
const text = (number: number) => Array.from({ length: 40 }, (_, word) => `word${number * 40 + word}`).join(' ')
const voice = (authorHandle: string | null, description = '', fields = {}) =>
  voiceOf('github', {
    ...{ sourceId: '', sourceUrl: '', authorName: null, authorProfileUrl: null, title: '' },
    ...{ authorHandle, description, ...fields },
  })
const count = (...voices: Buffer[]) => countVoices(Buffer.concat(voices))

it('one author is one voice, whatever the texts', () => {
  expect(count(voice('ada', text(1)), voice('Ada', text(2)), voice('bob', text(3)), voice('@ada'))).toEqual({
    voices: 2,
    authors: 2,
    crossPosts: 0,
  })
})

it('one text is one voice, whoever posts it, and joins what its authors wrote otherwise', () => {
  const requests = [voice('ada', text(1)), voice('bob', `${text(1)} bye`), voice('bob', text(2)), voice('eve', text(2))]
  expect(count(...requests, voice('joe'))).toEqual({ voices: 2, authors: 4, crossPosts: 2 })
})

it('a request without an author is a voice, unless its text is that of another', () => {
  expect(count(voice(null), voice(null), voice(null, text(1)), voice('ada', text(1)))).toEqual({
    voices: 3,
    authors: 4,
    crossPosts: 1,
  })
})

it('a handle is another author at another site, and on another platform', () => {
  const at = (site: string) => voice('ada', '', { authorProfileUrl: `https://${site}/u/ada` })
  const onReddit = voiceOf('reddit', {
    ...{ sourceId: '', sourceUrl: '', authorName: 'ada', authorHandle: 'ada', authorProfileUrl: null },
    ...{ title: '', description: '' },
  })
  expect(count(at('one.example'), at('two.example'), at('www.one.example'), onReddit).voices).toBe(3)
})

it('finds equal texts among thousands that share a phrase', () => {
  const requests = Array.from({ length: 5_000 }, (_, number) =>
    voice(`author${number}`, `It would be great if you could add this: ${text(number % 2_500)}`),
  )
  expect(count(...requests)).toEqual({ voices: 2_500, authors: 5_000, crossPosts: 2_500 })
})
