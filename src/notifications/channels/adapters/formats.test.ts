import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { campaignSize } from '../../../../test/campaign-size.ts'
import type { Message } from '../../../accounts/events/message.ts'
import { withoutUnseen } from '../../../runtime/text/unseen.ts'
import { testMessage } from '../testing.ts'
import { apprisePayload, escapeApprise } from './apprise.ts'
import { discordPayload, escapeDiscord } from './discord.ts'
import { ntfyPayload } from './ntfy.ts'
import { escapeSlack, slackPayload } from './slack.ts'
import { cut, toLine, withoutHosts } from './text.ts'

// Holds (Watches, news and channels): foreign text mentions nobody, spoofs no link and injects no markup, in any format

const seed = Number(process.env.FORMATS_SEED ?? Math.floor(Math.random() * 1e9))
console.log(`FORMATS_SEED=${seed}`)
const parameters = { seed, numRuns: campaignSize('HOSTILE_TEXTS', { quick: 300, nightly: 20_000 }) }

const hostile = [
  // The flag of Wales, which a cut may part, and a sign that Unicode calls a format.
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}',
  '\u06dd',
  '<!channel>',
  '<!here>',
  '<!everyone>',
  '<@U123456>',
  '<#C123>',
  '<!subteam^S1>',
  '<https://evil.example|Wishwell>',
  '@everyone',
  '@here',
  '@channel',
  '<@1234567890>',
  '<@&1234567890>',
  '<@!12345678>',
  '<:e:123456789>',
  '<a:e:123456789>',
  '<t:1700000000:R>',
  '</cmd:123456789>',
  '<id:guide>',
  '[Wishwell](https://evil.example)',
  '[a]: https://evil.example',
  '![x](https://evil.example/i.png)',
  '<b>',
  '<a href="https://evil.example">',
  '<script>alert(1)</script>',
  '&lt;!channel&gt;',
  '&amp;',
  '**bold**',
  '__x__',
  '*i*',
  '_i_',
  '~~s~~',
  '`code`',
  '```\nblock\n```',
  '||spoiler||',
  '# head',
  '-# small',
  '> quote',
  '>>> all',
  '- list',
  '+ list',
  '1. list',
  '---',
  '===',
  '| a | b |',
  'https://evil.example',
  'http://evil.example/?a=(b)',
  'HTTPS://EVIL.example',
  'www.evil.example',
  'WWW.evil.example',
  'evil.example',
  'mailto:a@evil.example',
  'a@evil.example',
  'javascript:alert(1)',
  'discord://x',
  'slack://x',
  'tel:+123',
  '\\',
  '\\\\',
  '\\[',
  '](',
  ')',
  '](https://evil.example)',
  '<',
  '>',
  '&',
  '\u202e',
  '\u200b',
  '\u0000',
  '\r\n',
  '\n\n',
  '\t',
  '🙂',
  'e\u0301',
  '\ud83d',
  'Node.js',
  'v1.2.3',
  '{"a":1}',
  ' ',
]
const hostileText = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...hostile) }, fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

const ours = 'https://wishwell.example'
const hostileMessage: fc.Arbitrary<Message> = fc
  .record({ title: hostileText, heading: hostileText, item: hostileText, detail: hostileText, paragraph: hostileText })
  .map(({ title, heading, item, detail, paragraph }) =>
    testMessage({
      title,
      paragraphs: [paragraph],
      sections: [{ heading, items: [{ title: item, url: `${ours}/wishes/1`, detail }], more: 3 }],
    }),
  )

/** Every address that the programs of receivers make a link of in plain text. */
const plainAddress =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s\u200b]|\bwww\d{0,3}\.[^\s\u200b]|\b(?:mailto|tel|javascript):[^\s\u200b]/i
const isOurs = (url: string) => url.startsWith(`${ours}/`)
const markdown = new MarkdownIt('commonmark', { html: true, linkify: true }).enable([
  'strikethrough',
  'table',
  'linkify',
])
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

interface Token {
  type: string
  content: string
  attrs: [string, string][] | null
  children: Token[] | null
}
const tokensOf = (text: string): Token[] =>
  (markdown.parse(text, {}) as Token[]).flatMap((token) => [token, ...(token.children ?? [])])
const linksOf = (tokens: readonly Token[]) =>
  tokens.filter(({ type }) => type === 'link_open').map(({ attrs }) => String(new Map(attrs ?? []).get('href')))

describe('hostile texts', () => {
  it('are text in Slack: no mention, no link but ours, no markup', () => {
    fc.assert(
      fc.property(hostileMessage, (message) => {
        const payload = slackPayload(message) as {
          text: string
          mrkdwn: boolean
          unfurl_links: boolean
          blocks: { type: string; text?: { type: string; text: string; emoji: boolean }; elements?: unknown[] }[]
        }
        // Slack reads <…> as a link or a mention, and makes links of addresses.
        expect(payload.text).not.toMatch(/[<>]/)
        expect(payload.text.replace(/&(?:amp|lt|gt);/g, '')).not.toContain('&')
        expect(payload.text).not.toMatch(plainAddress)
        expect(payload.text).not.toMatch(/@(?:channel|here|everyone)/)
        expect([payload.mrkdwn, payload.unfurl_links]).toEqual([false, false])
        const [header, body] = payload.blocks
        expect(header?.text).toMatchObject({ type: 'plain_text', emoji: false })
        expect(header!.text!.text.length).toBeLessThanOrEqual(150)
        expect(header!.text!.text.length).toBeGreaterThan(0)
        const open = [...(body?.elements ?? [])] as {
          type: string
          url?: string
          text?: string
          elements?: unknown[]
        }[]
        for (let element = open.pop(); element; element = open.pop()) {
          expect(['rich_text_section', 'rich_text_list', 'text', 'link']).toContain(element.type)
          if (element.type === 'link') expect(isOurs(element.url!)).toBe(true)
          if (element.type === 'text') expect(element.text).not.toBe('')
          open.push(...((element.elements ?? []) as typeof open))
        }
      }),
      parameters,
    )
  })

  it('are text in Discord: no mention, no link but ours, no markup', () => {
    fc.assert(
      fc.property(hostileMessage, (message) => {
        const payload = discordPayload(message) as {
          content?: string
          allowed_mentions: object
          embeds: { title: string; url: string; description: string }[]
        }
        expect(payload.allowed_mentions).toEqual({ parse: [] })
        expect(payload.content).toBeUndefined()
        const [{ title, description, url }] = payload.embeds as [(typeof payload.embeds)[0]]
        expect(isOurs(url)).toBe(true)
        expect(title.length).toBeLessThanOrEqual(256)
        expect(title.length + description.length).toBeLessThanOrEqual(6_000)
        expect(description.length).toBeLessThanOrEqual(4_096)
        for (const text of [title, description]) {
          const unescaped = text.replace(/\\[\\`*_~|<>#[\](){}:+=.!^-]/g, '')
          expect(unescaped).not.toMatch(/<[@#:at/i]/)
          expect(text).not.toMatch(/@(?:everyone|here)/)
          expect(unescaped).not.toMatch(/[`~|<>{}^=!+#]/)
          expect(unescaped.replaceAll('**', '').replaceAll('](https://wishwell.example/wishes/1)', '')).not.toMatch(
            /[*_]|\]\(/,
          )
          const tokens = tokensOf(text)
          expect(linksOf(tokens).every(isOurs)).toBe(true)
          const types = new Set(tokens.map(({ type }) => type))
          for (const type of [
            'html_inline',
            'html_block',
            'code_inline',
            'fence',
            'image',
            's_open',
            'em_open',
            'heading_open',
            'blockquote_open',
            'hr',
            'table_open',
            'ordered_list_open',
          ]) {
            expect(types, text).not.toContain(type)
          }
        }
        expect(linksOf(tokensOf(title))).toEqual([])
        expect(linksOf(tokensOf(description)).length).toBeLessThanOrEqual(1)
      }),
      parameters,
    )
  })

  it('are text in ntfy: no link, and short enough to be no attachment', () => {
    fc.assert(
      fc.property(hostileMessage, (message) => {
        const payload = ntfyPayload(message, 'topic') as Record<string, string>
        expect(Object.keys(payload).toSorted()).toEqual(['click', 'message', 'title', 'topic'])
        expect(isOurs(payload.click!)).toBe(true)
        for (const text of [payload.title!, payload.message!]) {
          expect(text).not.toMatch(plainAddress)
          expect(text).not.toMatch(/[^\s\u200b]@[a-z0-9]|[a-z0-9]\.[a-z]{2,}/i)
          expect(text.trim()).not.toBe('')
        }
        expect(Buffer.byteLength(payload.message!)).toBeLessThan(4_096)
      }),
      parameters,
    )
  })

  it('are text in what Apprise passes on, to services of Markdown and of HTML', () => {
    fc.assert(
      fc.property(hostileMessage, (message) => {
        const { title, body } = apprisePayload(message, 'team') as Record<string, string>
        const foreign = body!.replaceAll(`${ours}/watches/1`, '')
        for (const text of [title!, foreign]) {
          expect(text).not.toMatch(plainAddress)
          expect(text).not.toMatch(/[<>[\]*`~\\|&#]/)
          expect(text).not.toMatch(/@\w/)
          const types = new Set(tokensOf(text).map(({ type }) => type))
          for (const type of [
            'link_open',
            'em_open',
            'strong_open',
            'html_inline',
            'html_block',
            'code_inline',
            'fence',
            'image',
            's_open',
            'heading_open',
            'blockquote_open',
            'table_open',
          ]) {
            expect(types, text).not.toContain(type)
          }
        }
      }),
      parameters,
    )
  })

  it('are one visible line each, and whole characters when they are cut', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 2, max: 40 }), (text, max) => {
        const line = toLine(text, max)
        expect(line.length).toBeLessThanOrEqual(max)
        expect(line.isWellFormed()).toBe(true)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(withoutUnseen(line)).toBe(line)
      }),
      parameters,
    )
  })
})

it('long messages are cut to the limits of each format', () => {
  const items = Array.from({ length: 200 }, (_, index) => ({
    title: `${'*'.repeat(200)} ${index} 🙂`,
    url: `${ours}/wishes/1`,
    detail: '('.repeat(200),
  }))
  const message = testMessage({
    title: '_'.repeat(1_000),
    paragraphs: ['ü'.repeat(2_000)],
    sections: [{ heading: '#'.repeat(500), items, more: 7 }],
  })
  const [embed] = discordPayload(message).embeds as [{ title: string; description: string }]
  expect(embed.title.length).toBeLessThanOrEqual(256)
  expect(embed.description.length).toBeLessThanOrEqual(4_096)
  expect(Buffer.byteLength(ntfyPayload(message, 't').message as string)).toBeLessThanOrEqual(4_000)
  expect((apprisePayload(message, 't').body as string).length).toBeLessThanOrEqual(2_000)
  expect(JSON.stringify(slackPayload(message)).length).toBeLessThan(60_000)
})

it('ordinary texts stay readable', () => {
  expect(escapeDiscord('Dark mode (beta) for Node.js')).toBe('Dark mode \\(beta\\) for Node\\.js')
  expect(escapeSlack('Tom & Jerry <3')).toBe('Tom &amp; Jerry &lt;3')
  expect(escapeApprise('snake_case and C++')).toBe('snake_case and C++')
  expect(withoutHosts('see v1.2').replaceAll('\u200b', '')).toBe('see v1.2')
  expect(cut('abcdef', 4)).toBe('abc…')
  expect(slackPayload(testMessage())).toMatchObject({
    text: 'Editors: 1 new',
    blocks: [
      { type: 'header' },
      {
        elements: [
          { elements: [{ text: 'New', style: { bold: true } }, { text: '\n' }] },
          {
            type: 'rich_text_list',
            elements: [
              {
                elements: [
                  { type: 'link', url: `${ours}/wishes/1`, text: 'Dark mode' },
                  { text: ' – 12 votes · GitHub' },
                ],
              },
            ],
          },
          { elements: [{ type: 'link', text: 'Open the watch' }] },
        ],
      },
    ],
  })
})
