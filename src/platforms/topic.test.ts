import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { type ComparedFields, createTopicTest, filterByTopic } from './about-topic.ts'
import type { Page } from './platform.ts'
import { searchWords } from './topic-words.ts'

// Holds (Jobs): only requests about the topic join it, and the job says what was left out
// Holds (Platforms): Hacker News is searched for exact words, whether it obeys, ignores or refuses the parameters
// Holds (Platforms): a YouTube comment takes its video's topic only when it words a wish

const request = (fields: Partial<ComparedFields>): ComparedFields => ({
  title: '',
  description: '',
  tags: [],
  sourceName: null,
  ...fields,
})
const isAbout = (topic: string, title: string) => createTopicTest(topic)(request({ title }))

describe('a request is about a topic when it has its words', () => {
  test.each([
    ['dark mode', 'Dark mode, please'],
    ['dark mode', 'A mode that is dark'],
    ['dark mode', 'DARK\nModes'],
    ['dark mode', 'Add dark-mode'],
    ['dark mode', 'Option darkMode is ignored'],
    ['dark mode', 'dark_mode in settings.json'],
    ['darkMode', 'dark mode'],
    ['darkMode', 'darkmode'],
    ['dark_mode', 'darkmode'],
    ['darkmode', 'darkMode'],
    ['email notifications', 'A notification for each of my emails'],
    ['custom themes', 'I wish it had a custom theme'],
    ['C++ export', 'Export to C++'],
    ['.NET client', 'A client for .NET Core'],
    ['node.js', 'Support nodejs'],
    ['Objective C', 'objective-c headers'],
    ['offline', 'Öfflīne maps'],
    ['café', 'a cafe nearby'],
    ['Straße', 'STRASSE'],
    ['version 2.10', 'Fixed in version 2.10.1'],
    ['the who', 'The Who playlists'],
    ['to be', 'to be or not to be'],
    ['夜间模式', '请添加夜间模式'],
    ['ダーク', 'ダークモードを追加'],
    ['色', '背景色'],
    ['다크 모드', '다크 모드도 부탁드립니다'],
    ['dark theme for the code editor', 'Code editor: dark theme'],
    ['dark theme for the code editor', 'The theme of the editor is not dark'],
    ['Übersicht', 'Feature request: Uebersicht b2'],
    ['Uebersicht', 'Feature request: Übersicht a1'],
    ['می\u200cخواهم', 'Feature request: app می خواهم'],
    ['می خواهم', 'Feature request: app می\u200cخواهم'],
    ['می\u200cخواهم', 'میخواهم'],
    ['ÜBERSICHT', 'uebersicht'],
    ['Uebersicht', 'U\u0308BERSICHT'],
    ['Übersicht Groesse', 'Uebersicht: Größe'],
    ['Menue', 'MENÜ bar'],
    ['København', 'Koebenhavn'],
    ['œuvre', 'OEUVRE'],
    ['colour picker', 'Color pickers'],
    ['organization', 'Organise my shelf'],
    ['grey theme', 'A gray theme'],
    ['catalog', 'Cataloguing stamps'],
    ['ёлка', 'Елка'],
    ['Киів', 'Київ'],
    ['λόγος', 'ΛΟΓΟΣ'],
    ['שלום', 'שָׁלוֹם'],
    ['كتابي', 'کتابی'],
    ['مدرسه', 'مدرسة'],
    ['احمد', 'أحمد'],
    ['version ২.১০', 'Version ２.१०.1'],
    ['العربية', 'العـــربية'],
    ['العـــربية', 'العربية'],
    ['table 123', 'table ١٢٣'],
    ['table ١٢٣', 'table 123'],
  ])('%s: %s', (topic, title) => {
    expect(isAbout(topic, title)).toBe(true)
  })
})

describe('a request is not about a topic when it has only something like its words', () => {
  test.each([
    ['dark mode', 'A darker model'],
    ['dark mode', 'Modern darkroom'],
    ['dark mode', 'Dork mode'],
    ['dark mode', 'Mode'],
    // As in the search: one word is not two, unless its case or an underscore says so.
    ['dark mode', 'Darkmode'],
    ['darkmode', 'dark mode'],
    ['sync', 'Async functions'],
    ['C++', 'C and C#'],
    ['.NET', 'example.net'],
    ['java', 'JavaScript'],
    ['version 2.10', 'version 10.2'],
    ['夜间模式', '间夜式模'],
    ['custom email themes', 'Custom themes'],
    ['dark theme for the code editor', 'Dark theme'],
    // An umlaut elsewhere does not make `ue` one.
    ['blue', 'Blu ray für alle'],
    ['oeffnen', 'offen'],
    ['practical', 'Practise the piano'],
    ['tour', 'Tor browser'],
    ['for', 'Four'],
    ['мой', 'мои'],
    ['گل', 'كل'],
    ['ہم', 'هم'],
  ])('%s: %s', (topic, title) => {
    expect(isAbout(topic, title)).toBe(false)
  })
})

describe('the comparison of a request with a topic', () => {
  it('title, description, tags and source count together', () => {
    const isAboutDarkMode = createTopicTest('dark mode toggle')
    const parts = { title: 'Dark', description: `${'word '.repeat(3_000)}toggle`, sourceName: 'owner/mode' }
    expect(isAboutDarkMode(request(parts))).toBe(true)
    expect(isAboutDarkMode(request({ ...parts, sourceName: null, tags: ['ui', 'mode'] }))).toBe(true)
    expect(isAboutDarkMode(request({ ...parts, sourceName: null }))).toBe(false)
    expect(createTopicTest('dark mode toggle', { contextIsTopic: () => false })(request(parts))).toBe(false)
  })

  it('every request is about a topic without words', () => {
    for (const topic of ['🌙', '??', '!']) expect(isAbout(topic, 'Anything')).toBe(true)
  })

  const tokens =
    `dark mode darkMode dark_mode DarkModes possibility possible queries hoping ties añadir Ñandú C++ c# .NET v2.10 2.10.1 x
    夜间模式 色 ダーク Über Ueber مي\u200cخواهمها خـواهم ٢.١٠ ё Елка naïve fi \u200b \u200d ı İ ß _ - . / \n`.split(
      / +/,
    )

  test('a text is about a topic wherever in it the words are', () => {
    const topics = [
      'dark mode',
      'possible query',
      'hope',
      'C++',
      '.net 2.10',
      '夜间',
      'tie',
      'ñandu',
      'Naive mode',
      'ueber',
      'über',
      'خواهم',
      '2.10',
      'ёлка',
    ]
    const text = fc.array(fc.constantFrom(...tokens), { maxLength: 30 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(fc.constantFrom(...topics), text, (topic, description) => {
        const isAboutTopic = createTopicTest(topic)
        const padded = `${'other words '.repeat(40)}\n${description}\n${'and more '.repeat(40)}`
        return isAboutTopic(request({ description })) === isAboutTopic(request({ description: padded }))
      }),
    )
  })

  // In quadratic time they would take longer than a test may.
  test('hostile texts are compared in linear time', () => {
    const isAboutTopic = createTopicTest('dark m 夜 Übersicht')
    const texts = [
      'dark夜',
      'aM_',
      'd\u0300',
      '1.',
      '夜',
      'c++m',
      '\ufdfa',
      ' \n',
      'dark ',
      '_m',
      'ü',
      '\u200c',
      'م\u200c',
      '٣',
    ].map((text) => text.repeat(32_000))
    for (const text of texts) isAboutTopic(request({ title: text, description: text, tags: [text], sourceName: text }))
    expect(texts.map((text) => isAboutTopic(request({ title: text })))).toHaveLength(texts.length)
  })
})

describe('a page that is filtered by its topic', () => {
  const signal = new AbortController().signal
  const idsOf = (requests: Page['requests'] = []) => requests.map(({ sourceId }) => sourceId)

  async function fetchFiltered(page: Page | null, options = {}) {
    const platform = filterByTopic(
      scriptedPlatform('github', () => page),
      options,
    )
    return platform.fetchPage({ topic: 'dark mode', cursor: null, signal, pagesBefore: 0 })
  }

  it('splits a page into what joins the topic, what may, and what is left out', async () => {
    const about = foundRequest('about', { title: 'Modes: dark' })
    const excerpt = foundRequest('excerpt', { title: 'Colours', excerpt: true })
    const other = foundRequest('other', { title: 'A darker model' })
    const known = foundRequest('known')
    const page = await fetchFiltered({
      requests: [about, other, excerpt],
      offTopic: [known],
      discarded: { reply: 2 },
      nextCursor: 7,
    })
    expect(idsOf(page?.requests)).toEqual(['about'])
    expect(idsOf(page?.incomplete)).toEqual(['excerpt'])
    expect(idsOf(page?.offTopic)).toEqual(['known', 'other'])
    expect([page?.discarded, page?.nextCursor]).toEqual([{ offTopic: 1, reply: 2 }, 7])
  })

  it('the name of the source counts only where the platform says so', async () => {
    const page = { requests: [foundRequest('1', { title: 'Dark', sourceName: 'mode' })], nextCursor: null }
    expect((await fetchFiltered(page))?.requests).toHaveLength(1)
    expect((await fetchFiltered(page, { contextIsTopic: () => false }))?.requests).toHaveLength(0)
  })

  it('a platform without pages has none', async () => {
    expect(await fetchFiltered(null)).toBeNull()
  })
})

describe('the words of a topic', () => {
  it('keep names whole', () => {
    expect(searchWords("  C++ C# .NET node.js don't e-mail café 夜间模式 🌙 ")).toEqual([
      'C++',
      'C#',
      '.NET',
      'node.js',
      "don't",
      'e-mail',
      'café',
      '夜间模式',
      '🌙',
    ])
  })

  it('hold no operators', () => {
    expect(searchWords('"dark" -label:bug --x OR NOT and AND repo:a/b (c) [tag] user:1 a\\"b\0c')).toEqual([
      'dark',
      'label',
      'bug',
      'x',
      'or',
      'not',
      'and',
      'and',
      'repo',
      'a/b',
      'c',
      'tag',
      'user',
      '1',
      'a',
      'b',
      'c',
    ])
  })

  it('are none when a topic has nothing to search for', () => {
    for (const topic of ['""', '??', '- -', '\\\\', '()']) expect(searchWords(topic)).toEqual([])
  })
})
