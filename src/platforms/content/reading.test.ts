import { describe, expect, it } from 'vitest'
import {
  firstSentence,
  flowingMarkdownToPlainText,
  htmlToPlainText,
  markdownToPlainText,
  plainText,
  plainTitle,
  withoutSpoilerMarks,
} from './text.ts'

// Holds (Platforms): texts have whole titles and links, but no form fillers, spoiler marks or image addresses

describe('a title from the first sentence', () => {
  it.each([
    ['I miss the calendar of Mr. Tanaka in the app. It was good.', 'I miss the calendar of Mr. Tanaka in the app.'],
    ['Please show the name of Mr. Tanaka', 'Please show the name of Mr. Tanaka'],
    ['The No. 1 Thing we need is tabs. Thanks.', 'The No. 1 Thing we need is tabs.'],
    ['The No. One Wish of our team: tabs. Thanks.', 'The No. One Wish of our team: tabs.'],
    ['Support formats, e.g. ODT or PDF. Thanks.', 'Support formats, e.g. ODT or PDF.'],
    ['Use the second key, i.e. Control, for tabs. OK?', 'Use the second key, i.e. Control, for tabs.'],
    ['I wish the U.S. Army font was there. Bye.', 'I wish the U.S. Army font was there.'],
    ['Add v. 2.0 and version 1.5 Beta files. Bye.', 'Add v. 2.0 and version 1.5 Beta files.'],
    ['J. R. R. Tolkien fonts would be nice. Bye.', 'J. R. R. Tolkien fonts would be nice.'],
    ['Quotes by John F. Kennedy need tabs. Bye.', 'Quotes by John F. Kennedy need tabs.'],
    ['1. Add tabs. 2. Add more.', '1. Add tabs.'],
    ['St. Gallen vs. Bern should be sortable. Bye.', 'St. Gallen vs. Bern should be sortable.'],
    ['Sync with Acme Inc. Calendars please. Bye.', 'Sync with Acme Inc. Calendars please.'],
    ['Ask Dr. Who, Prof. Moriarty and Mrs. Hudson. Bye.', 'Ask Dr. Who, Prof. Moriarty and Mrs. Hudson.'],
  ])('goes on after an abbreviation, an initial or a number: %s', (text, title) => {
    expect(firstSentence(text)).toBe(title)
  })

  it.each([
    ['Does it work? No. It does not.', 'Does it work?'],
    ['No. Please add tabs.', 'No.'],
    ['I say no. Add tabs.', 'I say no.'],
    ['We have tabs, windows, etc. Please add more.', 'We have tabs, windows, etc.'],
    ['I live in the U.S. Please add dates.', 'I live in the U.S.'],
    ['It opens at 5 p.m. I wish it was 4.', 'It opens at 5 p.m.'],
    ['I prefer plan B. Please add it.', 'I prefer plan B.'],
    ['I have Windows 10. Tabs are missing.', 'I have Windows 10.'],
    ['Add it to version 2.0. Tabs too.', 'Add it to version 2.0.'],
    ['Please add tabs.They help. Bye', 'Please add tabs.They help.'],
  ])('ends where a reader ends it: %s', (text, title) => {
    expect(firstSentence(text)).toBe(title)
  })

  it('is the first line that has a word', () => {
    expect(firstSentence('🎉🎉\n\nPlease add tabs\nThanks')).toBe('Please add tabs')
    expect(firstSentence('❤️❤️')).toBe('❤️❤️')
  })
})

describe('links', () => {
  it('that Hacker News shows cut short are whole', () => {
    const link = (href: string, text: string) => `See <a href="${href}" rel="nofollow">${text}</a> please`
    const long =
      'https:&#x2F;&#x2F;github.com&#x2F;a&#x2F;b&#x2F;blob&#x2F;main&#x2F;docs&#x2F;a_long_name_of_a_file.md'
    expect(
      htmlToPlainText(
        link(long, 'https:&#x2F;&#x2F;github.com&#x2F;a&#x2F;b&#x2F;blob&#x2F;main&#x2F;docs&#x2F;a_lo...'),
      ),
    ).toBe('See https://github.com/a/b/blob/main/docs/a_long_name_of_a_file.md please')
    expect(htmlToPlainText(link('https://www.a.example/b/c', 'a.example/b…'))).toBe(
      'See https://www.a.example/b/c please',
    )
  })

  it('with a text of their own show that text', () => {
    const shown = (href: string, text: string) => htmlToPlainText(`<a href="${href}">${text}</a>`)
    expect(shown('https://a.example/x', 'wait for it...')).toBe('wait for it...')
    expect(shown('https://a.example/x', 'https://b.example/...')).toBe('https://b.example/...')
    expect(shown('javascript:alert(1)', 'javascr...')).toBe('javascr...')
    expect(shown('https://a.example/x', 'the <b>plan</b>')).toBe('the plan')
  })
})

describe('a form or template', () => {
  it('is read without the fields that were left empty', () => {
    const source = `### Problem

I cannot see tabs.

### Alternatives

_No response_

### Additional context

<!-- Add any other context -->

### Version

N/A

### Screenshots
`
    expect(markdownToPlainText(source)).toBe('Problem\n\nI cannot see tabs.')
  })

  it.each([
    ['_No response_', ''],
    ['### What\n\n*No response*\n\n### Why\n\n_No response_', ''],
    ['**Describe**\nTabs.\n\n**Additional context**\n\n_No response_', 'Describe\nTabs.'],
    ['**Describe**\nTabs.\n\n**Additional context**\n<!-- hint -->', 'Describe\nTabs.'],
    [
      '**Describe the solution**\nA clear and concise description of what you want to happen.\n\n**Why**\nBecause.',
      'Why\nBecause.',
    ],
    ['Tabs please.\n\n[[_TOC_]]', 'Tabs please.'],
  ])('%j reads %j', (source, text) => {
    expect(markdownToPlainText(source)).toBe(text)
  })

  it.each([
    ['# Please add tabs', 'Please add tabs'],
    ['**Please add tabs!**\n\n**It hurts**\n\nThanks', 'Please add tabs!\n\nIt hurts\n\nThanks'],
    ['# Tabs\n\n## Why\n\nThey help.', 'Tabs\n\nWhy\n\nThey help.'],
    ['None of the tabs work', 'None of the tabs work'],
    ['```\n_No response_\n```', '_No response_'],
    ['## Size\n\n- none', 'Size\n\n- none'],
  ])('%j keeps what its author wrote', (source, text) => {
    expect(
      markdownToPlainText(source)
        .replace(/\n{3,}/g, '\n\n')
        .replace(/^ +/gm, ''),
    ).toBe(text)
  })
})

describe('images', () => {
  it.each([
    ['Like this:\nhttps://a.example/shot.png\nThanks', 'Like this:\nThanks'],
    ['Like this: https://a.example/shot.JPG?width=20 thanks', 'Like this: thanks'],
    ['https://user-images.githubusercontent.com/1/2-3', ''],
    ['https://github.com/user-attachments/assets/0f-1e', ''],
    ['https://preview.redd.it/x1?width=1080&format=pjpg&auto=webp&s=1', ''],
    ['<https://i.imgur.com/a>', ''],
    [
      'See https://a.example/page.html and https://a.example/png',
      'See https://a.example/page.html and https://a.example/png',
    ],
    ['`https://a.example/shot.png`', 'https://a.example/shot.png'],
    ['![shot](/uploads/1/a.png){width=300 height=200} and more', 'and more'],
    ['![shot](a.png){: .big #id width="50%"}', '{: .big #id width="50%"}'],
    ['![shot](a.png){width="50%" .big}', ''],
    ['Set {width=300} in the file', 'Set {width=300} in the file'],
  ])('%j reads %j', (source, text) => {
    expect(markdownToPlainText(source)).toBe(text)
  })
})

describe('spoilers read as a reader opens them', () => {
  it.each([
    ['[spoiler]Please **add** tabs[/spoiler] now', 'Please add tabs now'],
    ['[details="More"]\nTabs\n[/details]', 'More\nTabs'],
    ['I wish >!the end!< was shown', 'I wish the end was shown'],
    ['>!I wish it had tabs.!< Really', 'I wish it had tabs. Really'],
    ['>!the **big** end!<', 'the big end'],
    ['::: spoiler The title\nPlease add tabs\n:::', 'The title\nPlease add tabs'],
    ['before\n\n::: spoiler The title\n- tabs\n:::\n\nafter', 'before\n\nThe title\n\n- tabs\n\nafter'],
    ['`>!code!<` and `[spoiler]`', '>!code!< and [spoiler]'],
    ['if a >! b then', 'if a >! b then'],
    ['>! I wish it had tabs. !<', 'I wish it had tabs.'],
    ['> a quotation', '> a quotation'],
  ])('%j reads %j', (source, text) => {
    for (const read of [markdownToPlainText, flowingMarkdownToPlainText]) {
      expect(read(source).replace(/^ +/gm, '')).toBe(read === markdownToPlainText ? text : inOneLine(source, text))
    }
  })
  /** Only a spoiler of Lemmy begins a new line by itself. */
  const inOneLine = (source: string, text: string) => (source.startsWith('[details') ? text.replace('\n', ' ') : text)

  it('in plain text too', () => {
    expect(withoutSpoilerMarks('a [spoiler]b[/spoiler] >!c!< d !< e')).toBe('a b c d !< e')
  })
})

describe('white space is what a reader sees', () => {
  it('a single line break is one on GitHub, and a space where paragraphs flow', () => {
    const source = 'Please add\ntabs  \nand more\n\nThanks\n\n- one\n- two\n\n```\ncode\n  more\n```'
    expect(markdownToPlainText(source)).toMatch(/^Please add\ntabs\nand more\n\nThanks/)
    const flowing = flowingMarkdownToPlainText(source)
    expect(flowing).toMatch(/^Please add tabs\nand more\n\nThanks\n\n *- one\n *- two/)
    expect(flowing).toMatch(/code\n {2}more$/)
  })

  it.each([
    ['one\r\n  two', 'one two'],
    ['one  \ntwo\\\nthree', 'one\ntwo\nthree'],
    ['text\n- a\n- b\n  more', 'text\n\n- a\n- b more'],
    ['> quoted\nstill quoted', '> quoted still quoted'],
    ['# Title\ntext', 'Title\n\ntext'],
    ['#notitle\ntext', '#notitle text'],
    ['```\na\nb\n```\nc\nd', 'a\nb\n\n\nc d'],
    ['text\n***\nmore\ntext', 'text\n\n---\n\nmore text'],
    ['a | b\n--- | ---\nc | d', 'a | b\n--- | ---\nc | d'],
  ])('%j flows as %j', (source, text) => {
    expect(flowingMarkdownToPlainText(source).replace(/^ +/gm, '')).toBe(text)
  })

  it('a table keeps its rows where paragraphs flow', () => {
    expect(flowingMarkdownToPlainText('| a | b |\n|---|---|\n| 1 | 2 |')).toBe('| a | b |\n|---|---|\n| 1 | 2 |')
  })

  it('runs of it are one space outside code', () => {
    expect(markdownToPlainText('Please   add\u00a0 &nbsp; tabs\n\n```\na   b\n  c\n```')).toBe(
      'Please add tabs\n\na   b\n  c',
    )
    expect(htmlToPlainText('<p>Please  \n add&nbsp;&nbsp;tabs</p><pre>a   b\n  c</pre>')).toBe(
      'Please add tabs\n\na   b\n  c',
    )
    expect(plainTitle('Please   add\u00a0\u00a0tabs')).toBe('Please add tabs')
  })

  it('what is invisible is left out, and joiners of emoji stay', () => {
    expect(plainText('a\u200bb\ufeffc\u00add \u200b \n x')).toBe('abcd\n x')
    expect(markdownToPlainText('Tabs\n\n&#x200B;\n\nplease')).toBe('Tabs\n\nplease')
    expect(plainText('👩🏽‍💻')).toBe('👩🏽‍💻')
  })
})
