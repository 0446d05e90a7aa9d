import { describe, expect, it } from 'vitest'
import { feedDate } from './dates.ts'
import { decodeFeed } from './decode.ts'
import { readFeed, readFeedBounded } from './feed.ts'
import { readFeedItem, sharedIds } from './post.ts'

// Holds (Platforms): any feed is read in its own encoding, within limits, without its entities

const address = 'https://feeds.example.com/all.xml?key=1'
const now = new Date('2026-05-05T12:00:00Z')

/** What is stored of a feed. */
function read(text: string) {
  const feed = readFeed({ source: text, address })
  if (feed === null) return null
  const context = { feed, address, shared: sharedIds(feed.items), known: new Set<string>(), now }
  return feed.items.map((item) => readFeedItem(item, context)).filter((item) => item !== null)
}
const rss = (items: string, channel = '<title>Larkspur</title><link>https://larkspur.example/</link>') =>
  `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel>${channel}${items}</channel></rss>`
const atom = (entries: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>Larkspur</title><id>i</id>${entries}</feed>`
const one = (text: string) => read(text)![0]

describe('an item of a feed', () => {
  it('of RSS has every field', () => {
    const item = `<item><title>Dark mode</title><link>https://larkspur.example/1</link><guid isPermaLink="false">w-1</guid>
      <pubDate>Mon, 04 May 2026 10:00:00 +0200</pubDate><dc:creator>Zoe</dc:creator><category>UI</category><category>Night</category>
      <slash:comments>4</slash:comments><description>Start</description><content:encoded><![CDATA[<p>The <b>whole</b> text.</p>]]></content:encoded></item>`
    expect(one(rss(item))).toEqual({
      sourceId: expect.stringMatching(/^[0-9a-f]{12}:w-1$/),
      title: 'Dark mode',
      description: 'The whole text.',
      votes: 0,
      tags: ['UI', 'Night'],
      stars: null,
      commentCount: 4,
      sourceUrl: 'https://larkspur.example/1',
      authorName: 'Zoe',
      authorHandle: null,
      authorProfileUrl: null,
      license: null,
      originalCreatedAt: new Date('2026-05-04T08:00:00Z'),
      status: null,
      statusChangedAt: null,
      excerpt: false,
      sourceName: 'Larkspur',
      refreshHandle: null,
      ownSource: null,
    })
  })

  it('of Atom has its alternate link below its base, and markup by its type', () => {
    const entry = `<entry xml:base="y/"><id>tag:1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>B</b></div></title>
      <link rel="enclosure" href="https://evil.example/f"/><link rel="alternate" type="application/json" href="j"/><link href="z"/>
      <author><name>Zoe</name><uri>https://z.example/</uri></author><category term="ui" label="UI"/><updated>2026-05-02T00:00:00Z</updated>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi &amp; <b>you</b></p></div></content></entry>`
    expect(one(atom(entry, 'xml:base="https://larkspur.example/x/"'))).toMatchObject({
      title: 'A B',
      description: 'Hi & you',
      sourceUrl: 'https://larkspur.example/x/y/z',
      authorName: 'Zoe',
      authorProfileUrl: 'https://z.example/',
      tags: ['UI'],
      originalCreatedAt: new Date('2026-05-02T00:00:00Z'),
    })
  })

  it('of Atom that is plain keeps its brackets', () => {
    const entry =
      '<entry><id>1</id><title type="text">List&lt;b&gt; &amp;amp;</title><content type="text">a &lt;p&gt;</content></entry>'
    expect(one(atom(entry))).toMatchObject({ title: 'List<b> &amp;', description: 'a <p>' })
  })

  it('of JSON Feed has every field', () => {
    const item = {
      id: 7,
      url: '/7',
      title: 'List<String> & more',
      content_html: '<p>Hi</p>',
      date_published: '2026-05-01T00:00:00+02:00',
      authors: [{ name: 'Zoe', url: 'https://z.example/' }],
      tags: ['ui'],
    }
    const feed = { version: 'https://jsonfeed.org/version/1.1', title: 'Larkspur', items: [null, item] }
    expect(one(JSON.stringify(feed))).toMatchObject({
      sourceId: expect.stringMatching(/:7$/),
      title: 'List<String> & more',
      description: 'Hi',
      sourceUrl: 'https://feeds.example.com/7',
      authorProfileUrl: 'https://z.example/',
      tags: ['ui'],
      originalCreatedAt: new Date('2026-04-30T22:00:00Z'),
    })
  })

  it('of RDF has its address as its id', () => {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://a.example/"><title>T</title></channel>
      <item rdf:about="https://a.example/1"><title>I</title><link>https://a.example/1</link><dc:date>2024-01-01</dc:date></item></rdf:RDF>`
    expect(one(rdf)).toMatchObject({
      sourceId: expect.stringMatching(/:https:\/\/a\.example\/1$/),
      originalCreatedAt: new Date('2024-01-01'),
    })
  })

  it.each([
    ['Tom &amp;amp; Jerry', 'Tom & Jerry'],
    ['Support List&lt;String&gt;', 'Support List<String>'],
    ['x &lt;b&gt;y&lt;/b&gt; z', 'x y z'],
    ['<![CDATA[5 < 6 & 7]]>', '5 < 6 & 7'],
  ])('has the title %s as %s', (written, shown) => {
    expect(one(rss(`<item><guid>1</guid><title>${written}</title></item>`))).toMatchObject({ title: shown })
  })

  it.each([
    ['&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b&lt;/p&gt;', 'a\n\nb'],
    ['&amp;lt;p&amp;gt;a&amp;lt;/p&amp;gt;', 'a'],
    ['a\nb', 'a\nb'],
    ['<![CDATA[<script>x</script>a]]>', 'a'],
  ])('has the text %j as %j', (written, shown) => {
    expect(one(rss(`<item><guid>1</guid><description>${written}</description></item>`))).toMatchObject({
      description: shown,
    })
  })

  it.each([
    ['<link>javascript:alert(1)</link>', 'https://larkspur.example/'],
    ['<link>http:///x</link>', 'https://larkspur.example/'],
    ['<link>//other.example/1</link>', 'https://other.example/1'],
    ['<link>2.html</link>', 'https://feeds.example.com/2.html'],
    ['<link>javascript:1</link><guid>https://larkspur.example/9</guid>', 'https://larkspur.example/9'],
    ['<guid>https://larkspur.example/9</guid>', 'https://larkspur.example/9'],
    ['<guid isPermaLink="false">https://larkspur.example/9</guid>', 'https://larkspur.example/'],
    ['', 'https://larkspur.example/'],
  ])('with %s leads to %s', (written, link) => {
    expect(one(rss(`<item><title>Tabs</title>${written}</item>`))).toMatchObject({ sourceUrl: link })
  })
})

describe('the id of an item', () => {
  const idsOf = (text: string) => read(text)!.map((item) => (item as { sourceId: string }).sourceId.slice(13))

  it('is that of the feed, else its link, else made of title and date; a short one where it is long or no ASCII', () => {
    const long = 'x'.repeat(500)
    const ids = idsOf(
      rss(`<item><guid>a</guid></item><item><link>https://l.example/1</link></item><item><title>T</title></item>
      <item><title>T</title><pubDate>Mon, 04 May 2026 10:00:00 GMT</pubDate></item><item><guid>ö</guid></item><item><guid>${long}</guid></item>`),
    )
    expect(ids.slice(0, 2)).toEqual(['a', 'https://l.example/1'])
    expect(new Set(ids).size).toBe(6)
    for (const id of ids.slice(2)) expect(id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('is the link where several items have one id, and an item that comes twice is one', () => {
    const item = (guid: string, link: string) =>
      `<item><guid isPermaLink="false">${guid}</guid><link>${link}</link></item>`
    const [a, b] = ['https://l.example/1', 'https://l.example/2']
    expect(idsOf(rss(item('site', a!) + item('site', b!)))).toEqual([a, b])
    expect(idsOf(rss(item('one', a!) + item('one', a!)))).toEqual(['one'])
  })

  it('is another one in another feed, and the same by http', () => {
    const text = rss('<item><guid>1</guid></item>')
    const idIn = (where: string) => {
      const feed = readFeed({ source: text, address: where })!
      const context = { feed, address: where, shared: new Set<string>(), known: new Set<string>(), now }
      return (readFeedItem(feed.items[0]!, context) as { sourceId: string }).sourceId
    }
    expect(idIn('http://a.example/f')).toBe(idIn('https://a.example/f'))
    expect(idIn('https://b.example/f')).not.toBe(idIn('https://a.example/f'))
  })
})

describe('the date of an item', () => {
  it.each([
    ['Tue, 04 May 2026 10:00:00 GMT', '2026-05-04T10:00:00Z'],
    ['4 May 26 10:00 EST', '2026-05-04T15:00:00Z'],
    ['Mon, 4 May 2026 10:00:60 CEST', '2026-05-04T08:00:59Z'],
    ['Monday, 04-May-98 10:00:00 GMT+0530', '1998-05-04T04:30:00Z'],
    ['04 May 2026', '2026-05-04T00:00:00Z'],
    ['2026-05-04T10:00:00', '2026-05-04T10:00:00Z'],
    ['2026-05-04 10:00:00+02:00', '2026-05-04T08:00:00Z'],
    ['2026-05', '2026-05-01T00:00:00Z'],
    ['Di, 05 Mai 2020 10:00:00 +0200', '2020-05-05T08:00:00Z'],
    ['Mi, 21.04.2021 - 15:26', '2021-04-21T15:26:00Z'],
    ['21. März 2021 um 15.26 Uhr', '2021-03-21T15:26:00Z'],
    ['mar., 05 mai 2020 10:00:00 +0200', '2020-05-05T08:00:00Z'],
    ['le mercredi 21 avril 2021 à 15h26', '2021-04-21T15:26:00Z'],
    ['1er août 2021', '2021-08-01T00:00:00Z'],
    ['Вт, 05 мая 2020 10:00:00 +0300', '2020-05-05T07:00:00Z'],
    ['21 апреля 2021 г., 15:26', '2021-04-21T15:26:00Z'],
    ['21 de abril de 2021', '2021-04-21T00:00:00Z'],
    ['2021年4月21日 15:26', '2021-04-21T15:26:00Z'],
    ['Apr 21, 2021', '2021-04-21T00:00:00Z'],
    ['Wednesday, April 21st, 2021 - 3:26 PM', '2021-04-21T15:26:00Z'],
    ['2021-04-21 15:26:00 CEST', '2021-04-21T13:26:00Z'],
    ['Wed Apr  7 15:26:00 CEST 2021', '2021-04-07T13:26:00Z'],
    ['31.02.2021', null],
    ['04/05/2021', null],
    ['21 Smarch 2021', null],
    ['21 April 2021 25:00', null],
    ['Mon, 31 Feb 2026 10:00:00 GMT', null],
    ['2026-02-31T10:00:00Z', null],
    ['Thu, 07 May 2026 10:00:00 GMT', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['1518478934', null],
    ['yesterday', null],
    ['', null],
    [7, null],
  ])('%j is %s', (text, date) => {
    expect(feedDate([text], now)).toEqual(date === null ? null : new Date(date))
  })

  it('is the first that can be read', () => {
    expect(feedDate(['soon', '9999-01-01', '2026-05-01'], now)).toEqual(new Date('2026-05-01'))
  })
})

describe('the encoding of a feed', () => {
  const prolog = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`
  const utf16 = (text: string, mark = '') => Buffer.from(mark + text, 'utf16le')
  const cases: Array<[string, Uint8Array, string | undefined, string]> = [
    [
      'UTF-8 that its prolog calls Latin 1',
      Buffer.from(`${prolog('ISO-8859-1')}é`),
      'text/xml; charset=iso-8859-1',
      'é',
    ],
    ['Latin 1, by its prolog', Buffer.from(`${prolog('ISO-8859-1')}é`, 'latin1'), 'text/xml; charset=utf-8', 'é'],
    ['windows-1251, by its header', Buffer.from([0x3c, 0xe9]), 'text/xml; charset=windows-1251', '<й'],
    ['windows-1252, where nothing is said', Buffer.from([0x3c, 0x93]), undefined, '<\u201c'],
    ['an unknown name', Buffer.from(`${prolog('x-nothing')}é`, 'latin1'), undefined, 'é'],
    ['UTF-16 with a mark', utf16('<é', '\ufeff'), 'text/xml; charset=utf-8', '<é'],
    ['UTF-16 without a mark', utf16('<é'), undefined, '<é'],
    ['UTF-16, the other way', utf16('<é').swap16(), undefined, '<é'],
    ['Shift_JIS', Buffer.from([...Buffer.from(prolog('Shift_JIS')), 0x83, 0x5f]), undefined, 'ダ'],
    ['ISO-2022-JP', Buffer.from(`${prolog('ISO-2022-JP')}\u001b$B%@\u001b(B`), undefined, 'ダ'],
  ]
  it.each(cases)('%s', (_name, bytes, type, text) => {
    const decoded = decodeFeed(bytes, type === undefined ? {} : { 'content-type': type })
    expect(decoded.replace(/<\?.*\?>/, '')).toBe(text)
  })
})

describe('what is no feed, or a hostile one', () => {
  it.each([
    ['a web page', '<!DOCTYPE html><html><body>rss</body></html>'],
    ['other JSON', '{"error":"x"}'],
    ['a JSON feed without a list', '{"version":"https://jsonfeed.org/version/1","items":{}}'],
    ['an XML text of another kind', '<sitemap/>'],
    ['half of a feed', rss('<item>').slice(0, -20)],
    ['nothing', ''],
    ['too many elements', rss('<a/>'.repeat(250_001))],
    ['too many attributes', rss(`<item ${Array.from({ length: 250_001 }, (_, at) => `a${at}="1"`).join(' ')}/>`)],
    ['too many attributes behind a quoted >', rss(`<item x=">" ${'a:b '.repeat(250_001)}/>`)],
    ['names without values', rss(`<item ${'a:b '.repeat(250_001)}/>`)],
    ['names behind a quotation mark', rss(`<item " ${'a:b '.repeat(250_001)}/>`)],
    ['names behind a value that is not closed', rss(`<item a=" ${'a:b '.repeat(250_001)}/>`)],
    ['tags that never end', rss('<a '.repeat(250_001))],
    ['deep elements', rss(`<item>${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}</item>`)],
    ['deep JSON', `{"version":"https://jsonfeed.org/version/1","items":${'['.repeat(99)}${']'.repeat(99)}}`],
  ])('%s is read as none', (_name, text) => {
    expect(read(text)).toBeNull()
  })

  it.each(['date_published', 'pubDate'])(
    'more items than are read are the newest, whatever their order: %s',
    (name) => {
      const days = Array.from({ length: 1_200 }, (_, at) => (at * 7) % 1_200)
      const dateOf = (day: number) => new Date(Date.UTC(2021, 0, 1 + day)).toISOString()
      const text =
        name === 'pubDate'
          ? rss(
              days
                .map((day) => `<item><guid>${day}</guid><title>T</title><pubDate>${dateOf(day)}</pubDate></item>`)
                .join(''),
            )
          : JSON.stringify({
              version: 'https://jsonfeed.org/version/1',
              items: days.map((day) => ({ id: String(day), title: 'T', [name]: dateOf(day) })),
            })
      const { items, leftOut } = readFeed({ source: text, address })!
      expect(leftOut).toBe(200)
      expect(items.map(({ id }) => Number(id))).toEqual(days.filter((day) => day >= 200))
    },
  )

  it('a large one is read in a thread, as a small one is', async () => {
    const item = (id: number) =>
      `<item><guid>${id}</guid><title>T ${id}</title><description>${'x '.repeat(999)}</description></item>`
    const source = rss(Array.from({ length: 100 }, (_, id) => item(id)).join(''))
    const read = await readFeedBounded({ source, address }, new AbortController().signal)
    expect(read).toEqual(readFeed({ source, address }))
    expect(read?.items).toHaveLength(100)
  })

  it('markup within CDATA costs no more than its text', () => {
    const body = `<![CDATA[${'<p class="x">y</p>'.repeat(11_000)}]]>`
    expect(read(rss(`<item><guid>1</guid><description>${body}</description></item>`))).toHaveLength(1)
  })

  it('entities of a document type are not expanded, and no file is read', () => {
    const subset = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">'
    const text = `<?xml version="1.0"?><!DOCTYPE rss [${subset}]>${rss('<item><guid>1</guid><title>x &b; &f; y</title></item>')}`
    expect(one(text)).toMatchObject({ title: 'x &b; &f; y' })
    const plain =
      '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">'
    expect(one(`${plain}${rss('<item><title>Tabs</title></item>')}`)).toMatchObject({ title: 'Tabs' })
    const quoted = '<![CDATA[Begin with <!DOCTYPE html> please]]>'
    expect(one(rss(`<item><title>${quoted}</title></item>`))).toMatchObject({
      title: 'Begin with <!DOCTYPE html> please',
    })
  })
})
