import { expect, it } from 'vitest'
import { markdownOf } from './issue-text.ts'

// Holds (Hostile input): the text of a pushed issue mentions nobody, links to no other issue and holds no markup of a stranger

const counts = { requests: 1, votes: 1, voices: 1, own: null }
const quote = (text: string) =>
  markdownOf({ title: 'a', counts, blocks: [{ kind: 'quote', text, isWhole: true, origin: [text] }] })

it.each([
  ['@octocat please', /@octocat|&#64;octocat/],
  ['mail me@example.org', /@example/],
  ['same as #123 and acme/app#4', /#\d/],
  ['GH-12 too', /GH-\d/],
  ['GitLab !5, %7, ~bug, $3, &9', /[!%~$&](?=\w)/],
  ['<img src=x onerror=alert(1)> <!-- wishwell:1 -->', /(?<!\\)</],
  ['[a link](https://evil.example)', /(?<!\\)\[/],
  ['see https://github.com/acme/app/issues/1', /https:\/\//],
  ['![image](https://evil.example/x.png)', /(?<!\\)\[/],
])('%s', (text, forbidden) => {
  expect(quote(text)).not.toMatch(forbidden)
})

it('begins no line with what a stranger wrote, so that nothing is a command of GitLab', () => {
  for (const line of quote('/close\n/assign @me\n# heading\n- [ ] task').split('\n'))
    expect(line).toMatch(/^(?:> ?.*|)$/)
})

it('writes links as the tracker wants them, and as text where a link would be told to somebody', () => {
  const blocks = [
    {
      kind: 'line' as const,
      tone: 'text' as const,
      parts: [{ text: 'A post', url: 'https://a.example/p/1', platform: '' }],
    },
  ]
  expect(markdownOf({ title: 'a', counts, blocks })).toBe('[A post](<https://a.example/p/1>)\n')
  expect(markdownOf({ title: 'a', counts, blocks }, () => null)).toBe('A post (a.example/p/1)\n')
})
