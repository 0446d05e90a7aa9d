import { describe, expect, it } from 'vitest'
import { isSameText, sketchOf } from './sketch.ts'

interface Post {
  title?: string
  description: string
}

const wish =
  'Please let me set a dark theme that follows the sunset. I work late and the white pages hurt my eyes, and I have to ' +
  "change it by hand each evening. It's fine if this is only on the desktop. The setting could be beside that of the language, " +
  'with a choice of the hours for people who live where the sun does not set in summer.'

const areSame = (a: Post, b: Post) => {
  const [one, other] = [a, b].map(({ title = '', description }) => sketchOf({ title, description }))
  return isSameText(one!, other!, other!.filter((hash) => one!.includes(hash)).length)
}
const post = (description: string, title = 'Dark theme') => ({ title, description })

describe('a text is the same', () => {
  it.each<[string, Post]>([
    ['with another title', post(wish, 'Sunset and sunrise')],
    ['after a greeting', post(`Hello everybody, I hope that I am right here!\n\n${wish}`)],
    ['cut at 300 characters', post(`${wish.slice(0, 299)}…`, '')],
    ['with its title, cut at 300 characters', post(`Dark theme at sunset\n${wish.slice(0, 278)}…`, '')],
    ['with links', post(`${wish.replace('theme', 'theme (https://example.org/a/b?c=d#e)')} https://t.co/abc`)],
    [
      'after a line that names the other place',
      post(`Cross-posted from https://example.org/1, where nobody answers.\n${wish}`),
    ],
    ['with other white space and case', post(wish.toUpperCase().replaceAll('. ', '.\n\n   '))],
    ['with typographic quotes', post(wish.replace("'", '’'))],
    ['as Markdown', post(`## Dark\n\n${wish.replace('dark theme', '**dark** [theme](https://example.org)')}`)],
    ['as HTML', post(`<p>${wish.replace('dark theme', '<b>dark</b> <a href="https://example.org">theme</a>')}</p>`)],
    [
      'with a few other words',
      post(wish.replace('late', 'at night').replace('fine', 'okay').replace('white', 'bright')),
    ],
    [
      'in the fields of a form',
      post(
        `Type: feature\n\nIs your feature request related to a problem? Please describe.\n${wish}\n\nAdditional context\n`,
      ),
    ],
  ])('%s', (_, other) => {
    expect(areSame(post(wish), other)).toBe(true)
    expect(areSame(other, post(wish))).toBe(true)
  })

  it('in Japanese, which has no spaces', () => {
    const text = '夜に作業するときに画面が明るすぎるので、日没に合わせて暗いテーマに切り替わる設定を追加してください。'
    expect(areSame(post(text), post(`こんにちは。${text}`))).toBe(true)
  })

  it('where it is all in the title', () => {
    const title = 'Please let me export all my notes as Markdown files with their images'
    expect(areSame({ title, description: '' }, { description: `${title} #notes` })).toBe(true)
  })
})

describe('a text is another one', () => {
  const template = (problem: string, solution: string) =>
    post(
      `Is your feature request related to a problem? Please describe.\nA clear and concise description of what the problem is.\n${problem}\n\n` +
        `Describe the solution you'd like\nA clear and concise description of what you want to happen.\n${solution}\n\n` +
        "Describe alternatives you've considered\n\nAdditional context\nAdd any other context or screenshots about the feature request here.\n" +
        '- [x] I have searched the existing issues',
    )
  const phrase = 'It would be great if you could please add support for'

  it.each<[string, Post, Post]>([
    [
      'in the same form',
      template('My eyes hurt at night.', 'A theme with a black background for the editor.'),
      template('The pages are too bright for me.', 'Colours that follow the system, everywhere in the app.'),
    ],
    ['that is short', post('Please add dark mode'), post('Please add dark mode')],
    ['with a common phrase', post(`${phrase} dark mode in the editor`), post(`${phrase} a theme of my own on phones`)],
    [
      'under the same sentence of a maintainer',
      post(
        'This was moved here by the triage team; please vote with a reaction. I would like the night to be black on my screen, since I read in bed.',
      ),
      post(
        'This was moved here by the triage team; please vote with a reaction. Our designers want colours of their own, by means of a style sheet.',
      ),
    ],
    [
      'that only quotes it',
      post(wish),
      post(
        `> ${wish}\n\nI need the same for our whole team, mostly because half of us are on call and sit in the dark until the morning comes.`,
      ),
    ],
  ])('%s', (_, a, b) => {
    expect(areSame(a, b)).toBe(false)
  })
})

it('reads the beginning of a text of any length only', () => {
  const long = `${wish} ${'and [so] <on '.repeat(100_000)}`
  expect(sketchOf(post(long))).toEqual(sketchOf(post(long.slice(0, 5_000))))
  for (const hostile of [
    '['.repeat(60_000),
    '<a '.repeat(20_000),
    'x '.repeat(30_000),
    '\u0301'.repeat(60_000),
    '*'.repeat(60_000),
  ])
    expect(sketchOf(post(hostile)).length).toBeLessThanOrEqual(20)
})
