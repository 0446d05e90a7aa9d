import fc from 'fast-check'
import { LinkifyIt } from 'linkify-it'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { parseMailAddress } from './address.ts'
import { cleanText, ownUrl, withoutLinks } from './foreign-text.ts'
import { createMailer, messageIdOf } from './mailer.ts'
import { type MailContent, subjectOf } from './templates/content.ts'
import { mailConfigFor, readMail, startMailServer, type TestMailServer } from './testing.ts'

// Holds (Watches, news and channels): foreign text mentions nobody, spoofs no link and injects no markup, in any format

// Takes seconds: each mail is read back by a parser of its own.

const publicUrl = 'https://wishwell.example'
const unsubscribeUrl = `${publicUrl}/mail/unsubscribe/token`
const to = parseMailAddress('reader@example.org') ?? expect.fail('no address')
const now = new Date('2026-03-02T08:00:00Z')

let server: TestMailServer
beforeAll(async () => {
  server = await startMailServer({ offersStartTls: false })
})
afterAll(() => server.close())

/** What a mail program makes links of, by a library that many use. It knows all top-level domains that are tested here. */
const linkify = new LinkifyIt().set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }).tlds(['example', 'zip'], true)
const linksIn = (text: string): string[] => (linkify.match(text) ?? []).map(({ url }) => url)

const fragments = [
  'https://evil.example/login',
  'HTTP:\\\\evil.example',
  'www.evil.com',
  'evil.com',
  'evil。com',
  'evil．com/a?b=c',
  'xn--80ak6aa92e.com',
  'help@evil.com',
  'help＠evil.com',
  'mailto:help@evil.com',
  'javascript:alert(1)',
  '//evil.com/x',
  '1.2.3.4',
  '[click](https://evil.com)',
  '<a href="https://evil.com">x</a>',
  '</td></tr></table><img src=https://evil.com/x.png>',
  '<!--[if mso]><script>alert(1)</script><![endif]-->',
  '&#60;b&#62;',
  '"\'><svg onload=alert(1)>',
  '\r\nBcc: victim@example.org',
  '\r\n\r\n<html>',
  '\r\n.\r\nMAIL FROM:<a@b.c>',
  '\u2028\u2029\u0085',
  '\u202egnp.exe\u2066',
  '\u200b\u2060\ufeff',
  '=?utf-8?q?=0D=0ABcc:_x@y.z?=',
  '\ud800',
  'النص العربي',
  '👩‍👩‍👧‍👦',
  'a'.repeat(3_000),
  '.'.repeat(50),
  'file:///etc/passwd',
  'archive.zip',
]
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 30 })), { maxLength: 6 })
  .chain((parts) => fc.constantFrom(' ', '', '.').map((glue) => parts.join(glue)))

const hostileUrl = fc.oneof(
  fc.constantFrom(
    `${publicUrl}/wishes/1`,
    `${publicUrl}.evil.com/`,
    `${publicUrl}@evil.com/`,
    'javascript:alert(1)',
    'https://evil.com/',
    '//evil.com/',
    `${publicUrl}/"onclick=alert(1)`,
    `${publicUrl}/wishes/1\r\nX: y`,
    `${publicUrl}/\\evil.com`,
    `${publicUrl}/..//evil.com`,
  ),
  fc.webUrl(),
)

const item = fc.record({ title: hostileText, detail: hostileText, excerpt: hostileText, url: fc.option(hostileUrl) })
const hostileContent: fc.Arbitrary<MailContent> = fc.record({
  title: hostileText,
  paragraphs: fc.array(hostileText, { maxLength: 4 }),
  sections: fc.array(
    fc.record({
      heading: hostileText,
      note: hostileText,
      items: fc.array(item, { maxLength: 4 }),
      more: fc.nat({ max: 3 }),
    }),
    { maxLength: 3 },
  ),
  link: fc.option(fc.record({ label: hostileText, url: hostileUrl })),
  footer: fc.constant({ sentences: ['Why it came.'], link: { label: 'Unsubscribe', url: unsubscribeUrl } }),
  publicUrl: fc.constant(publicUrl),
})

const isOurs = (url: string) => url.startsWith(`${publicUrl}/`)
const expectedHeaders = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
]

/** The attributes and tags of HTML, roughly as a browser reads them; texts are between. */
const tagsOf = (html: string) => html.match(/<[a-z!/][^>]*>/gi) ?? []
const textOf = (html: string) => html.replace(/<style>.*?<\/style>/s, '').replace(/<[^>]*>/g, '\n')
const decode = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')

async function check(content: MailContent): Promise<void> {
  const config = mailConfigFor(server)
  const before = server.mails.length
  const sent = await createMailer({ config }).send({ to, content, identity: 'an id', unsubscribeUrl, now })
  expect(sent).toEqual({ sent: true })
  expect(server.mails.length).toBe(before + 1)
  const received = server.mails.pop() ?? expect.fail('no mail')
  expect(received).toMatchObject({ from: 'news@wishwell.example', to: ['reader@example.org'] })
  const {
    headers,
    from,
    to: recipients,
    subject = '',
    html = '',
    text = '',
    attachments,
    messageId,
  } = await readMail(received)
  expect(headers.map(({ key }) => key).sort()).toEqual(expectedHeaders)
  expect(from).toMatchObject({ name: 'Wishwell', address: 'news@wishwell.example' })
  expect(recipients).toMatchObject([{ address: 'reader@example.org' }])
  expect(messageId).toBe(messageIdOf('an id', config))
  expect(attachments).toEqual([])
  expect([...subject].length).toBeLessThanOrEqual(120)
  expect(subject).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
  // Lines of the raw mail are as RFC 5322 wants them.
  for (const line of received.raw.toString('latin1').split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
  // HTML: only our tags, and only our links.
  const tags = tagsOf(html)
  expect(
    tags.filter((tag) => /^<\/?(script|img|svg|iframe|form|link|object|base)\b/i.test(tag) || /\son\w+\s*=/i.test(tag)),
  ).toEqual([])
  const hrefs = [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, href]) => decode(href ?? ''))
  expect(hrefs.filter((href) => !isOurs(href))).toEqual([])
  expect(hrefs).toContain(unsubscribeUrl)
  expect(tags.filter((tag) => /\b(src|srcset|background|action)=|url\(/i.test(tag))).toEqual([])
  // What a program would make links of by itself.
  expect(linksIn(decode(textOf(html))).filter((url) => !isOurs(url))).toEqual([])
  expect(linksIn(text).filter((url) => !isOurs(url))).toEqual([])
  expect(text).toContain(unsubscribeUrl)
  expect(`${text}${textOf(html)}`).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u)
}

it('the headers of a mail are ours, and no link in it leads elsewhere, whatever its texts are', {
  timeout: 600_000,
}, async () => {
  const numRuns = campaignSize('HOSTILE_MAILS', { quick: 20, nightly: 3_000 })
  const seed = process.env.TEST_SEED ? Number(process.env.TEST_SEED) : Date.now() % 2 ** 31
  await fc.assert(fc.asyncProperty(hostileContent, check), { numRuns, seed, interruptAfterTimeLimit: 500_000 })
})

it('the two parts say the same, each title and link once', async () => {
  const titles = Array.from({ length: 60 }, (_, i) => `Wish number ${i} of many`)
  const items = titles.map((title, i) => ({
    title,
    detail: `${i} votes`,
    excerpt: `Text ${i} of it`,
    url: `${publicUrl}/wishes/${i}`,
  }))
  const content = { title: 'T', paragraphs: ['P.'], sections: [{ heading: 'New', items, more: 7 }], link: null }
  const footer = { sentences: ['Why.'], link: { label: 'Unsubscribe', url: unsubscribeUrl } }
  await createMailer({ config: mailConfigFor(server) }).send({
    to,
    content: { ...content, footer, publicUrl },
    identity: 'i',
    unsubscribeUrl,
    now,
  })
  const { html = '', text = '' } = await readMail(server.mails.pop() ?? expect.fail('no mail'))
  for (const part of [html, text]) {
    expect(part.match(/\/wishes\/\d+/g)).toEqual(items.slice(0, 40).map(({ url }) => url.replace(publicUrl, '')))
    expect(part).toContain('and 27 more')
    expect(part.match(/Text \d+ of it/g)).toEqual(items.slice(0, 20).map(({ excerpt }) => excerpt))
  }
  expect(html.length).toBeLessThan(90_000)
})

it('the largest mail is not cut off by Gmail', async () => {
  const long = '&'.repeat(500)
  const items = Array.from({ length: 50 }, () => ({
    ...{ title: long, detail: 'a votes', excerpt: long, url: `${publicUrl}/wishes/1` },
  }))
  const content = { title: long, paragraphs: ['P.'], sections: [{ heading: long, items, more: 0 }], link: null }
  const footer = { sentences: ['Why.'], link: { label: 'Unsubscribe', url: unsubscribeUrl } }
  await createMailer({ config: mailConfigFor(server) }).send({
    to,
    content: { ...content, footer, publicUrl },
    identity: 'i',
    unsubscribeUrl,
    now,
  })
  const { html = '' } = await readMail(server.mails.pop() ?? expect.fail('no mail'))
  expect(Buffer.byteLength(html)).toBeLessThan(100_000)
})

it.each([
  ['a\r\nb\tc\u0000', 'a b c'],
  ['a\u202etxt.exe\u202c', 'atxt.exe'],
  ['re\u0301sume\u0301', 'résumé'],
  ['می‌خواهم', 'می‌خواهم'],
  ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
  [`${'a'.repeat(20)}`, 'aaaaaaaaa…'],
  ['\ud800x', '\ufffdx'],
])('cleans %j', (text, cleaned) => {
  expect(cleanText(text, 10)).toBe(cleaned)
})

it.each(fragments)('no program makes a link of %j', (fragment) => {
  for (const text of [fragment, `a ${fragment} b`, `.${fragment}.`, `x${fragment}y`, `(${fragment})`]) {
    expect(linksIn(withoutLinks(cleanText(text, 200)))).toEqual([])
  }
})

it('text without addresses stays as it is', () => {
  const text = 'Dark mode. And 3.5 mm jacks? Yes: 10:30, a/b, #12 "x" – e.g. this…'
  expect(withoutLinks(text.replace('e.g.', 'eg'))).toBe(text.replace('e.g.', 'eg'))
  expect(withoutLinks('node.js 3.5 1.2.3.4')).toBe('node.\u200ajs 3.5 1.\u200a2.\u200a3.\u200a4')
})

it('only an address below PUBLIC_URL is a link', () => {
  expect(ownUrl(`${publicUrl}/wishes/1?a=b&c=d#e`, publicUrl)).toBe(`${publicUrl}/wishes/1?a=b&c=d#e`)
  for (const url of [
    null,
    publicUrl,
    `${publicUrl}.evil.com/`,
    `${publicUrl}@evil.com/`,
    'javascript:1',
    '/wishes/1',
  ]) {
    expect(ownUrl(url, publicUrl)).toBeNull()
  }
})

it('an encoded word in a title stays a text: no program decodes it to a header', () => {
  const title = '=?utf-8?q?=0D=0ABcc:_x@y.z?='
  expect(subjectOf({ title } as MailContent)).not.toContain('=?')
})
