import { describe, expect, it } from 'vitest'
import type { SourceKind } from '../definition.ts'
import { githubSource } from './github/source.ts'
import { gitlabSource } from './gitlab/source.ts'
import { stackexchangeSource } from './stackexchange/source.ts'

const cases: Array<[string, SourceKind, Array<[string, string | null]>]> = [
  [
    'github',
    githubSource,
    [
      ['Owner/Repo', 'owner/repo'],
      [' https://github.com/Owner/Repo.js/issues?q=is%3Aopen#x ', 'owner/repo.js'],
      ['github.com/owner/repo/', 'owner/repo'],
      ['git@github.com:owner/repo.git', 'owner/repo'],
      ['https://github.com/owner/repo.git', 'owner/repo'],
      ['https://github.com/orgs/home-assistant/discussions', null],
      ['https://github.com/owner', null],
      ['https://gitlab.com/owner/repo', null],
      ['https://github.com.evil.example/owner/repo', null],
      ['owner/repo/issues', null],
      ['owner/..', null],
      ['owner/re po', null],
      ['owner/repo" is:private', null],
      ['-owner/repo', null],
      ['', null],
    ],
  ],
  [
    'gitlab',
    gitlabSource,
    [
      ['GitLab-org/gitlab', 'gitlab-org/gitlab'],
      ['gitlab-org/gitlab:type::feature', 'gitlab-org/gitlab:type::feature'],
      ['https://gitlab.com/inkscape/inbox/-/issues/12?x=1', 'inkscape/inbox'],
      ['https://gitlab.com/a/b/c.git', 'a/b/c'],
      ['https://gitlab.com/groups/gitlab-org/-/issues', 'groups/gitlab-org'],
      ['https://gitlab.com/inkscape', 'groups/inkscape'],
      ['inkscape', 'groups/inkscape'],
      ['https://github.com/a/b', null],
      ['a/../b', null],
      ['a/b?x=1', null],
      ['a//b', null],
      ['', null],
    ],
  ],
  [
    'stackexchange',
    stackexchangeSource,
    [
      ['Softwarerecs', 'softwarerecs'],
      ['https://softwarerecs.stackexchange.com/questions/1/x', 'softwarerecs'],
      ['https://meta.stackexchange.com', 'meta'],
      ['ux.meta.stackexchange.com', 'ux.meta'],
      ['https://meta.stackoverflow.com/q/1', 'meta.stackoverflow'],
      ['https://pt.stackoverflow.com', 'pt.stackoverflow'],
      ['https://mathoverflow.net', 'mathoverflow.net'],
      ['https://www.superuser.com', 'superuser'],
      ['https://example.com', null],
      ['example.com', null],
      ['https://evilstackoverflow.com', null],
      ['meta;softwarerecs', null],
      ['meta&key=1', null],
      ['', null],
    ],
  ],
]

describe.each(cases)('a source of %s', (_name, kind, texts) => {
  it.each(texts)('%j is %j', (text, normal) => {
    expect(kind.normalise(text)).toBe(normal)
  })

  it('has one form, and its example is one', () => {
    for (const [, normal] of texts) if (normal !== null) expect(kind.normalise(normal)).toBe(normal)
    expect(kind.normalise(kind.example)).toBe(kind.example)
  })
})
