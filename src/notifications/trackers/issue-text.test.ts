import { expect, it } from 'vitest'
import type { TrackerType } from '../../database/tables/notifications.ts'
import { issueWithoutReferences, markdownOf } from './issue-text.ts'

// Holds (Hostile input): the text of a pushed issue mentions nobody, links to no other issue and holds no markup of a stranger

const counts = { requests: 1, votes: 1, voices: 1, own: null }
const quote = (text: string) =>
  markdownOf(
    issueWithoutReferences(
      { title: 'a', counts, blocks: [{ kind: 'quote', text, isWhole: true, origin: [text] }] },
      'gitlab',
    ),
  )

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

it.each<[TrackerType, string]>([
  // docs.gitlab.com/user/markdown, "GitLab-specific references".
  ...[
    ...['@user', '@group/sub', '@all', '#12', 'acme/app#12', 'GL-12', '!12', '$12', '&12', '~12', '~bug', '~"a bug"'],
    ...['%12', '%v1', '%"a release"', '*iteration:1', '*iteration:"a"', '[vulnerability:1]', '[feature_flag:1]'],
    ...['[issue:12]', '[issue:acme/app/12]', '[work_item:1]', '[epic:1]', '[contact:a@example.com]', '[cadence:1]'],
    ...['^alert#1', '[[home]]', '[wiki_page:home]', '9ba12248', '9ba12248...b19a04f5'],
    ...['https://gitlab.com/acme/app/-/issues/1', '[snippet:1]', '[environment:1]'],
  ].map((text): [TrackerType, string] => ['gitlab', text]),
  // docs.github.com, "Autolinked references and URLs".
  ...[
    '@octocat',
    '@org/team',
    '#26',
    'jlord/sheetsee.js#26',
    'GH-26',
    'gh-26',
    'a5c3785ed8d6a35868bc169f07e40e889087fd2e',
  ].map((text): [TrackerType, string] => ['github', text]),
  // linear.app/docs: people, and issues by their keys.
  ...['@ada', 'ENG-123', 'LIN-1', 'A1-12'].map((text): [TrackerType, string] => ['linear', text]),
])('no title of %s has the reference %s, and nobody sees why', (type, text) => {
  const title = `Please ${text} (${text}): ${text}`
  const sent = issueWithoutReferences({ title, counts, blocks: [] }, type).title
  expect(sent).not.toContain(text)
  expect(sent.replaceAll('\u200b', '')).toBe(title)
})

it.each(['Support UTF-8 and ISO-8601', 'A deadbeef of 12345678 rows', '5 * 3 & 2', 'C# and 100 %', 'Facade'])(
  'what is no reference stays as it is: %s',
  (title) => expect(issueWithoutReferences({ title, counts, blocks: [] }, 'gitlab').title).toBe(title),
)

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
