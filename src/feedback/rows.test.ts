import { describe, expect, it } from 'vitest'
import { inMemory } from '../runtime/foreign/testing.ts'
import { checkFile, openFile, readRequests } from './file.ts'
import { importName, nameOfFile } from './names.ts'

// Holds (Data): feedback files are read as their products write them, and errors name the line

const open = (text: string | Buffer, more: object = {}) =>
  openFile({ file: inMemory(text), name: importName(null, 'test'), given: {}, ...more })

async function read(text: string | Buffer, more: object = {}) {
  const file = await open(text, more)
  const { errors, leftOut } = await checkFile(file)
  const requests = []
  for await (const request of readRequests(file)) requests.push(request)
  return { format: file.format, errors, leftOut, requests }
}
const errorsOf = async (text: string) =>
  (await checkFile(await open(text))).errors.map(({ at, message }) => `${at}: ${message}`)

describe('a file', () => {
  it.each([
    ['commas', 'title,text\nDark,"a, b"\n'],
    ['semicolons', 'title;text\r\nDark;a, b\r\n'],
    ['tabs, in UTF-16', Buffer.from('\ufefftitle\ttext\nDark\ta, b\n', 'utf16le')],
    ['a byte order mark', '\ufefftitle,text\nDark,"a, b"'],
    ['JSON Lines', '{"title":"Dark","text":"a, b"}\n\n'],
    ['JSON', '[{"title":"Dark","text":"a, b"}]'],
    ['a document with a list', '{\n"page": 1, "posts": [{"title":"Dark","text":"a, b"}]}'],
    ['a document on one line', '{"posts":[{"title":"Dark","text":"a, b"}]}'],
  ])('with %s is read', async (_what, text) => {
    expect((await read(text)).requests).toMatchObject([{ title: 'Dark', description: 'a, b' }])
  })

  it('whose first row is wrong is known by its first line', async () => {
    expect(await errorsOf('title,text\nDark\nWiki,a wiki\n')).toEqual([
      'line 2: it has 1 columns, where the first line has 2.',
    ])
  })

  it('is of the product whose columns it has, each of which is found by its name', async () => {
    const canny = JSON.stringify({
      posts: [
        {
          id: '553c3ef8b8cdcd1501ba1238',
          title: 'Dark',
          details: '<p>At&nbsp;night</p>',
          score: 42,
          status: 'in progress',
          author: { name: 'Ada', email: 'ada@example.org' },
          board: { name: 'Ideas' },
          tags: [{ name: 'ui' }, { name: 'theme' }],
          commentCount: 3,
          created: '2026-01-02T03:04:05.678Z',
          url: 'https://acme.canny.io/ideas/p/dark',
        },
      ],
    })
    expect(await read(canny)).toMatchObject({
      format: 'canny',
      requests: [
        {
          title: 'Dark',
          description: 'At night',
          votes: 42,
          status: 'in_progress',
          authorName: 'Ada',
          authorHandle: 'ada@example.org',
          tags: ['ui', 'theme'],
          commentCount: 3,
          originalCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
          sourceUrl: 'https://acme.canny.io/ideas/p/dark',
          confidence: 1,
        },
      ],
    })
    const github = `${JSON.stringify({ number: 7, title: 'Dark', body: '**please**', state: 'CLOSED', stateReason: 'COMPLETED', url: 'https://github.com/a/b/issues/7', author: { login: 'ada' }, labels: [{ name: 'ui' }], createdAt: '2026-01-02T00:00:00Z' })}\n${JSON.stringify({ number: 8, title: 'fix', state: 'OPEN', url: 'https://github.com/a/b/pull/8' })}\n`
    expect(await read(github)).toMatchObject({
      format: 'github',
      leftOut: { pullRequest: 1 },
      requests: [{ title: 'Dark', description: 'please', authorName: 'ada', tags: ['ui'], status: 'completed' }],
    })
    const reddit =
      'id,permalink,date,ip,subreddit,gildings,title,url,body\nabc,/r/notes/comments/abc/x/,2024-01-01 10:00:00 UTC,,notes,0,Tabs,https://x.example,"Please, tabs"\nd,,2024-01-01 10:00:00 UTC,,notes,0,T,,[removed]\n'
    expect(await read(reddit)).toMatchObject({
      format: 'reddit',
      leftOut: { removed: 1 },
      requests: [
        {
          sourceUrl: 'https://www.reddit.com/r/notes/comments/abc/x/',
          tags: ['notes'],
          originalCreatedAt: new Date('2024-01-01T10:00:00Z'),
        },
      ],
    })
    const uservoice =
      'suggestion.id,suggestion.title,suggestion.body,suggestion.status.name,suggestion.portal_url,suggestion.created_timestamp\n1,Dark,night,completed,https://acme.uservoice.com/1,2026-01-02 03:04:05\n'
    expect(await read(uservoice)).toMatchObject({
      format: 'uservoice',
      requests: [{ title: 'Dark', status: 'completed', originalCreatedAt: new Date('2026-01-02T03:04:05Z') }],
    })
  })

  it('has columns that are mapped by hand', async () => {
    const given = { description: 'Was', votes: 'title' }
    expect((await read('title,Was,text\n3,Please\t add it,x\n', { given })).requests).toMatchObject([
      { title: 'Please add it', votes: 3 },
    ])
    expect((await open('title,text,votes\na,b,1\n', { given: { votes: '' } })).mapping).toEqual({
      title: 'title',
      description: 'text',
    })
    await expect(open('title\nx\n', { given: { votes: 'Score' } })).rejects.toThrow('It has no column Score')
    await expect(open('a,b\nx,y\n')).rejects.toThrow('No column is known as a title or a text')
  })

  it('names each row that is wrong, and where it cannot be read any further', async () => {
    expect(
      await errorsOf('title,votes,url,created\na,1,,\n"b\nb",x,,\nc,,javascript:alert(1),\nd,,,31/31/2026\ne,1\n'),
    ).toEqual([
      'line 3: x is no number of votes.',
      'line 5: javascript:alert(1) is no web address.',
      'line 6: 31/31/2026 is no date; write it as 2026-01-31.',
      'line 7: it has 2 columns, where the first line has 4.',
    ])
    await expect(open('title,text\na,b\n"c,d\ne,f\n')).rejects.toThrow(
      'line 4: a quotation mark that opens a value is never closed.',
    )
    const long = `title\n${`${'word '.repeat(8)}\n`.repeat(10_000)}`
    expect(await errorsOf(`${long}"c\n`)).toEqual(['line 10002: a quotation mark that opens a value is never closed.'])
    expect(await errorsOf(`${'{"title":"a"}\n'.repeat(300)}{"title":\n`)).toEqual(['line 301: it is not JSON.'])
    const items = `[${'{"title":"a"},'.repeat(300)}3]`
    expect(await errorsOf(items)).toEqual(['item 301: it is no JSON object.'])
  })

  it('that is none is refused', async () => {
    await expect(open('')).rejects.toThrow('It has no rows.')
    await expect(open('title,text\n')).rejects.toThrow('It has no rows.')
    await expect(open(Buffer.from([0x74, 0xe4, 0x0a]))).rejects.toThrow('It is not UTF-8.')
    await expect(open(Buffer.from('title\nD\u00e4').subarray(0, -1))).rejects.toThrow('It is not UTF-8.')
    await expect(open(Buffer.from('\ufefftitle\nDark \ud83c', 'utf16le'))).rejects.toThrow('It is not UTF-16LE.')
    await expect(open('[1')).rejects.toThrow('item 1: the file ends within it.')
    await expect(open('{"a":[{}],\n"b":[{}]}')).rejects.toThrow('It has no list of objects, or several.')
  })

  it('says in how many rows something cannot be stored', async () => {
    const file = await open('{"title":"a\\u0000"}\n{"title":"b","votes":1}\n{"title":"c","author":"\\ud83c"}\n')
    expect(await checkFile(file)).toMatchObject({ rows: 3, unstorable: 2, sample: [{ title: 'a' }, {}, {}] })
  })

  it('whose characters and values lie across its chunks is read', async () => {
    const texts = ['title,text\n"Größe, 大きさ 🎉","a\n""b"""\n', '[{"title":"Größe, 大きさ 🎉","text":"a\\n\\"b\\""}]']
    for (const chunkBytes of [3, 4, 5, 7])
      for (const text of texts) {
        const file = await openFile({ file: inMemory(text, chunkBytes), name: importName(null, 'test'), given: {} })
        expect((await checkFile(file)).sample).toMatchObject([{ title: 'Größe, 大きさ 🎉', description: 'a\n"b"' }])
      }
  })

  it('tells rows without an id apart by what they say, and those that say the same by their order', async () => {
    const text = 'text\nPlease add tabs\nPlease add tabs\nPlease add maps\n'
    const ids = (await read(text)).requests.map(({ sourceId }) => sourceId)
    expect(new Set(ids).size).toBe(3)
    expect((await read(text)).requests.map(({ sourceId }) => sourceId)).toEqual(ids)
  })
})

// Holds (Data): a feedback file made to be expensive is refused at its limits, before more is read

it.each<[string, { begin?: string; part: string; refusal: string }]>([
  ['nested lists', { part: '[', refusal: 'item 1: it is nested deeper than 64 levels.' }],
  ['nested objects', { begin: '[', part: '{"a":', refusal: 'item 1: it is nested deeper than 64 levels.' }],
  ['lists in a line', { begin: '{"title":"a"}\n{"a":', part: '[', refusal: 'line 2: it is longer than 256 KiB.' }],
  ['a line without an end', { begin: '{"title":"', part: 'a', refusal: 'item 1: it is longer than 256 KiB.' }],
  ['a string in a list', { begin: '[{"title":"', part: 'a', refusal: 'item 1: it is longer than 256 KiB.' }],
  ['names of a document', { begin: '{', part: '"a":1,', refusal: 'item 1: it is longer than 256 KiB.' }],
  ['names of an item', { begin: '[{', part: '"a":1,', refusal: 'item 1: it is longer than 256 KiB.' }],
  ['columns', { part: 'a,', refusal: 'line 1: it has more than 500 columns.' }],
  ['empty cells', { begin: 'title,text\n', part: ',', refusal: 'line 2: it has more than 500 columns.' }],
  ...['\n', '\r', '\r\n'].map((end): [string, { begin: string; part: string; refusal: string }] => [
    `empty cells between line ends that are none of its own (${JSON.stringify(end)})`,
    {
      begin: `title,text${end}`,
      part: `${','.repeat(498)}${end === '\n' ? '\r' : '\n'}`,
      refusal: 'more than 500 columns.',
    },
  ]),
  ['numbers beside objects', { begin: '{"posts":[{}', part: ',0', refusal: 'item 2: it is no JSON object.' }],
  ['empty objects', { begin: '{"posts":[{"title":"a"}', part: ',{}', refusal: 'at most 200,000 rows' }],
  [
    'a line of names',
    { part: `{"a":{"b":[${'0,'.repeat(20_000)}0]}}\n`, refusal: 'line 1: it is of more than 20000 members.' },
  ],
  ['lines in quotes', { begin: 'title\n"', part: '\n', refusal: 'perhaps a quotation mark is missing.' }],
  ['letters of two bytes', { begin: 'title\n', part: 'ä', refusal: 'a row: it is longer than 256 KiB.' }],
])('a file of %s is refused', async (_what, { begin = '', part, refusal }) => {
  let read = 0
  const chunk = Buffer.from(part.repeat(Math.max(1, 65_536 / Buffer.byteLength(part))))
  async function* file() {
    yield Buffer.from(begin)
    for (; read < 1_000; read++) yield chunk
  }
  const name = importName(null, 'test')
  const checked = async () => (await checkFile(await openFile({ file, name, given: {} }))).errors
  const said = await checked().catch(({ message }: Error) => [{ at: 'file', message }])
  expect(said.map(({ at, message }) => `${at}: ${message}`).join()).toContain(refusal)
  expect(read).toBeLessThan(64)
})

it('a row has at most so many names, and a file names of columns', async () => {
  const names = (count: number, length: number) =>
    `[{"title":"a",${Array.from({ length: count }, (_, at) => `"${String(at).padEnd(length, 'x')}":"b"`).join(',')}}]`
  expect((await read(names(400, 5))).requests).toHaveLength(1)
  await expect(open(names(600, 5))).rejects.toThrow('item 1: it has more than 500 names.')
  await expect(open(names(400, 500))).rejects.toThrow('The names of its columns are too long.')
  const inner = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}`, 1]))
  expect((await open(JSON.stringify([{ title: 'a', inner }]))).unused).toHaveLength(50)
  expect((await read('[{"__proto__":{"x":1},"title":"a"}]')).requests).toMatchObject([{ title: 'a' }])
})

it.each([
  ['posts.csv', 'posts'],
  ['/home/ada/Feature requests (May).CSV', 'feature-requests-may'],
  ['Größe.json', 'gro-e'],
])('the file %s becomes the import %s', (file, name) => {
  expect(nameOfFile(file)).toBe(name)
})
