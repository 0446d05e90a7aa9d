import { describe, expect, it } from 'vitest'
import { foundRequest } from '../../test/scripted-platform.ts'
import { hashIdentity, identitiesOf, identitiesOfAuthor, identitiesOfUrl } from './identity.ts'

type Fields = Parameters<typeof foundRequest>[1]

/** Whether a request with these fields is one of those that are named. */
function fits(named: ReturnType<typeof identitiesOfUrl>, fields: Fields): boolean {
  const own = identitiesOf(foundRequest('1', fields)).map((identity) => hashIdentity('github', identity))
  return named.some((identity) => own.includes(hashIdentity('github', identity)))
}

describe('an address', () => {
  const issue = 'https://github.com/acme/app/issues/1'
  const item = 'https://news.ycombinator.com/item?id=1'
  const video = 'https://www.youtube.com/watch?v=v9&lc=Ug1'
  it.each([
    [issue, issue],
    [issue, 'http://github.com/acme/app/issues/1'],
    [issue, 'HTTPS://WWW.GitHub.com:443/acme/app/issues/1/'],
    [issue, '  https://github.com/acme/app/issues/1// '],
    [issue, `${issue}#issuecomment-5`],
    [issue, `${issue}?utm_source=mail`],
    [issue, `${issue}/?`],
    [`${issue}/`, issue],
    [item, 'http://news.ycombinator.com/item?id=1#2'],
    [video, 'https://youtube.com/watch?lc=Ug1&v=v9'],
    ['https://example.org', 'https://example.org/'],
    ['https://example.org/caf%C3%A9', 'https://example.org/café'],
  ])('%s is found as %s', (sourceUrl, url) => {
    expect(fits(identitiesOfUrl(url), { sourceUrl })).toBe(true)
  })

  it.each([
    [issue, 'https://github.com/acme/app/issues/10'],
    [issue, 'https://github.com/acme/app/issues'],
    [issue, 'https://github.com/Acme/app/issues/1'],
    [issue, 'https://github.com.evil.example/acme/app/issues/1'],
    [issue, 'https://evil.example/?u=https://github.com/acme/app/issues/1'],
    [issue, 'https://github.com/acme/app/issues/%'],
    [issue, 'https://github.com/acme/app/issues/_'],
    [item, 'https://news.ycombinator.com/item'],
    [item, 'https://news.ycombinator.com/item?id=11'],
    [item, 'https://news.ycombinator.com/item?id=1&id=2'],
    [video, 'https://www.youtube.com/watch?v=v9'],
    [video, 'https://www.youtube.com/watch?v=V9&lc=Ug1'],
    [issue, 'https://github.com:8443/acme/app/issues/1'],
  ])('%s is not found as %s', (sourceUrl, url) => {
    expect(fits(identitiesOfUrl(url), { sourceUrl })).toBe(false)
  })

  it.each([
    '',
    'github.com/acme',
    'javascript:alert(1)',
    'ftp://github.com/acme',
    'https://',
    '//github.com',
    '%',
    "' or 1=1",
  ])('%j is no address', (url) => expect(identitiesOfUrl(url)).toEqual([]))
})

describe('an author', () => {
  const ada = {
    authorName: 'Ada  Lovelace',
    authorHandle: 'Ada_L',
    authorProfileUrl: 'https://meta.example.org/users/7/ada',
  }
  it.each([
    'Ada_L',
    'ada_l',
    '@ADA_L',
    ' @ada_l ',
    'ada lovelace',
    'ADA \t LOVELACE',
    'http://www.meta.example.org/users/7/ada/',
    'https://meta.example.org/users/7/ada?tab=profile',
  ])('is found as %j', (author) => expect(fits(identitiesOfAuthor(author), ada)).toBe(true))

  it.each([
    'ada',
    'Ada_',
    'Ada_L2',
    'Ada%',
    'lovelace',
    '@ada lovelace',
    '@@ada_l',
    'https://meta.example.org/users/7',
    'https://meta.example.org/users/7/Ada',
    'null',
  ])('is not found as %j', (author) => expect(fits(identitiesOfAuthor(author), ada)).toBe(false))

  it('whose handle has an @ or combining marks is the same', () => {
    const stored = { authorName: 'Zo\u00eb', authorHandle: '@zoe' }
    expect(fits(identitiesOfAuthor('zoe'), stored)).toBe(true)
    expect(fits(identitiesOfAuthor('Zoe\u0308'), stored)).toBe(true)
  })

  it('that is empty, or named null, matches no request without an author', () => {
    const unknown = { authorName: null, authorHandle: null, authorProfileUrl: null }
    for (const author of ['', ' ', '@', ' @ ', 'null', 'undefined']) {
      expect(fits(identitiesOfAuthor(author), unknown)).toBe(false)
      expect(fits(identitiesOfAuthor(author), { authorName: '', authorHandle: '@' })).toBe(false)
    }
  })
})

it('the same words mean nothing on another platform or as another kind', () => {
  const hashes = (['id', 'handle', 'name'] as const).flatMap((kind) => [
    hashIdentity('github', { kind, value: 'ada' }),
    hashIdentity('gitlab', { kind, value: 'ada' }),
  ])
  expect(new Set(hashes).size).toBe(6)
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
})
