import { expect, it } from 'vitest'
import { foreignText } from '../../runtime/text/foreign.ts'
import { type Block, line, withTexts } from '../../sharing/briefs/lines.ts'
import { issueForTracker, markdownOf } from './issue-text.ts'

// Holds (Hostile input): a pushed issue mentions nobody, links no other issue and has no foreign markup

const counts = { requests: 1, votes: 1, voices: 1, own: null }
const issueOf = (title: string, blocks: Block[] = []) =>
  issueForTracker({ title: foreignText(title), counts, blocks: blocks.map((block) => withTexts(block, foreignText)) })
const quote = (text: string) => markdownOf(issueOf('a', [{ kind: 'quote', text, isWhole: true, origin: [text] }]))

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

it.each([
  // docs.gitlab.com/user/markdown, "GitLab-specific references", in a project, of another one, and with its title or summary.
  ...['@user', '@group/sub', '@all', '@_b.c', 'acme/app>', '#12', '#12+', '#12+s', 'app#12', '/acme/app~bug', '!12'],
  ...['acme/app!12', '$12', 'app$12', '&12', 'acme/sub&12', '~12', '~bug', '~"a bug"', '~"priority::high"', '%12'],
  ...['%v1.23', '%"release candidate"', '*iteration:1', '*iteration:"a"', '[cadence:plan]', '[cadence:"plan a"]'],
  ...[
    '[vulnerability:acme/app/12]',
    '[feature_flag:1]',
    '[issue:12]',
    '[issue:acme/app/12]',
    '[work_item:1]',
    '[epic:1]',
  ],
  ...['[contact:a@example.com]', '[snippet:1]', '[environment:1]', '^alert#12', 'app^alert#12', '[[home]]'],
  ...['[[How to|how-to]]', '[wiki_page:home]', '[README](doc/README.md)', 'GL-12', '9ba12248', 'acme/app@9ba12248'],
  ...['9ba12248...b19a04f5', 'https://gitlab.com/acme/app/-/issues/1#note_2', '/assign @user'],
  // Its page on YouTrack, and those on other trackers of a project.
  ...['YT-101', 'Api_32-143', 'gl-030'],
  // docs.github.com, "Autolinked references and URLs", "Mentioning people and teams".
  ...[
    '@octocat',
    '@org/team',
    '#26',
    'jlord/sheetsee.js#26',
    'GH-26',
    'gh-26',
    'TICKET-12',
    'www.github.com/a/b/issues/1',
  ],
  ...['a5c3785ed8d6a35868bc169f07e40e889087fd2e', 'jlord@a5c3785ed8d6a35868bc169f07e40e889087fd2e'],
  'https://github.com/github/docs/labels/enhancement',
  // linear.app/docs: people, and issues by their keys.
  ...['@ada', 'ENG-123', 'eng-123', 'A1-12', 'https://linear.app/acme/issue/ENG-1'],
  // Jira, "Text Formatting Notation Help".
  ...[
    '[~ada]',
    '[~accountid:5b10]',
    '[ABC-12]',
    '[^file.txt]',
    '[#anchor]',
    '!image.png!',
    '[a|https://jira.example/x]',
  ],
])('nothing that is sent has the reference %s, and nobody sees why', (text) => {
  for (const title of [`Please ${text} (${text}): ${text}`, text]) {
    const { title: sent, blocks } = issueOf(title, [line(title)])
    expect(sent).not.toContain(text)
    expect(sent.replaceAll('\u200b', '')).toBe(title)
    expect(JSON.stringify(blocks)).not.toContain(JSON.stringify(text).slice(1, -1))
  }
})

it.each([
  'A deadbeef of 12345678 rows',
  '5 * 3 & 2',
  'C# and 100 %',
  'Facade',
  'and/or > 5',
  'A [x] b (c)',
  '2026-11-29',
])('what is no reference stays as it is: %s', (title) => expect(issueOf(title).title).toBe(title))

it('is no command, either', () => expect(issueOf('/close').title).toBe('/\u200bclose'))

it('keeps a title of references alone as short as trackers want it', () => {
  const { title } = issueOf('@a'.repeat(100))
  expect([...title].length).toBeLessThanOrEqual(255)
  expect(title).not.toContain('@a')
})

it('begins no line with what a stranger wrote, so that nothing is a command of GitLab', () => {
  for (const line of quote('/close\n/assign @me\n# heading\n- [ ] task').split('\n'))
    expect(line).toMatch(/^(?:> ?.*|)$/)
})

it('writes links as the tracker wants them, and as text where a link would be told to somebody', () => {
  const issue = issueOf('a', [line([{ text: 'A post', url: 'https://a.example/p/1', platform: '' }])])
  expect(markdownOf(issue)).toBe('[A post](<https://a.example/p/1>)\n')
  expect(markdownOf(issue, () => null)).toBe('A post (a.example/p/1)\n')
})
