import { describe, expect, it } from 'vitest'
import { hasTag, parseSince } from './conditional.ts'

// Holds (HTTP and secrets): conditional requests work through servers and proxies that compress, weaken or requote validators

const etag = '"k3-_Zx"'

describe('a tag', () => {
  it.each([
    ['as it was sent', '"k3-_Zx"'],
    ['nginx, Cloudflare', 'W/"k3-_Zx"'],
    ['a reader in lower case', 'w/"k3-_Zx"'],
    ['Apache', '"k3-_Zx-gzip"'],
    ['Apache with brotli, weak', 'W/"k3-_Zx-br"'],
    ['old Apache, behind the quotes', '"k3-_Zx"-gzip'],
    ['Jetty', '"k3-_Zx--gzip"'],
    ['with a semicolon', '"k3-_Zx;gzip"'],
    ['two hops', 'W/"k3-_Zx-br-gzip"'],
    ['with a plus', '"k3-_Zx+gzip"'],
    ['Caddy with zstd', '"k3-_Zx-zstd"'],
    ['a reader that loses quotes', 'k3-_Zx'],
    ['one of several', '"a", W/"k3-_Zx-gzip","b"'],
    ['any', '*'],
  ])('is known: %s', (_who, ifNoneMatch) => {
    expect(hasTag(ifNoneMatch, etag)).toBe(true)
    expect(hasTag(ifNoneMatch, `W/${etag}`)).toBe(true)
  })

  it.each(['', '"k3-_Z"', '"k3-_Zxy"', '"k3-_Zx-gzipped"', '"k3-_Zx-"', '"gzip"', '"K3-_ZX"'])(
    'is another: %s',
    (ifNoneMatch) => expect(hasTag(ifNoneMatch, etag)).toBe(false),
  )
})

describe('a date', () => {
  it.each([
    'Sat, 29 Oct 1994 19:43:31 GMT',
    'Saturday, 29-Oct-94 19:43:31 GMT',
    'Sat Oct 29 19:43:31 1994',
    'Sat Oct  8 19:43:31 1994',
    'Sat, 29 Oct 1994 19:43:31 GMT; length=3495',
    'Sat, 29 Oct 1994 19:43:31 +0000',
    'Sat, 29 Oct 1994 21:43:31 +0200',
    '"Sat, 29 Oct 1994 19:43:31 GMT"',
    '1994-10-29T19:43:31Z',
  ])('is read: %s', (text) => {
    const day = text.includes('  8') ? '08' : '29'
    expect(new Date(parseSince(text)!).toISOString()).toBe(`1994-10-${day}T19:43:31.000Z`)
  })

  it.each(['', 'yesterday', ';'])('is none: %s', (text) => expect(parseSince(text)).toBeNull())
})
