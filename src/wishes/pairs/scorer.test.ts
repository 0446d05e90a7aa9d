import { describe, expect, it } from 'vitest'
import { comparedTextOf } from './compared-text.ts'
import { conflictsOf } from './conflicts.ts'
import { joiningThreshold, possiblySameThreshold, similaritiesOf } from './scorer.ts'
import { splitLabels } from './subject.ts'

// Holds (Data): titles that conflict (opposed words, labels, numbers, telling words) never join, nor do requests of different products

const counts = {
  requests: 10_000,
  of: (word: string) => (['add', 'support', 'android', 'ios'].includes(word) ? 900 : 3),
}
const textOf = (
  title: string,
  description = '',
  { platform = 'github', sourceName = 'acme/app' as string | null } = {},
) => comparedTextOf({ title, description, platform, sourceName })
const similarity = (one: string, other: string, description = '') =>
  similaritiesOf(textOf(one, description), [textOf(other, description)], counts)[0]!

const text = 'White hurts my eyes at night, so give the code editor dark colours.'

const alike = [
  ['[Feature Request] Dark mode', 'Add a dark mode'],
  ['Dark mode - please', 'Please add darkmode'],
  ['Ask HN: dark mode for the editor', 'Dark mode for the editor'],
  ['Night mode', 'Dark mode'],
  ['Right-to-left layout for tables', 'RTL layout for tables'],
  ['Two-factor authentication for guests', '2FA for guests'],
  ['Drag and drop of table rows', 'DnD of table rows'],
  ['Log in with a token', 'Login with a token'],
  ['The textField has no border colour', 'Border colour of the text field'],
  ['Organise tabs by colour and behaviour', 'Organize tabs by color and behavior'],
  ['Centre the dialogue in grey', 'Center the dialog in gray'],
  ['Delete unused labels of a project', 'Remove unused labels of a project'],
  ['Backport: CLI: proxy setting', 'CLI: proxy setting'],
  ['CLI: proxy setting', 'CLI: proxy setting (3_1_X backport)'],
  ['Android 5.0: pinch to zoom', 'Android: pinch to zoom'],
  ['Mobile Web: pinch to zoom', 'MW: pinch to zoom'],
  ['ListView: headers for sections', 'Headers for the sections of a list view'],
  ['Pinch to zoom on Android', 'Android - pinch to zoom'],
  ['Support the design support library', 'Support for design library'],
  // A copy of the same text.
  ['iOS: pinch to zoom', 'Pinch to zoom'],
  ['Suggestions', 'Suggestions?'],
] as const

const different = [
  // Opposed words
  ['Add a proxy setting to the sync client', 'Remove a proxy setting from the sync client'],
  ['Android: pinch to zoom in the viewer', 'iOS: pinch to zoom in the viewer'],
  ['Mobile Web: pinch to zoom in the viewer', 'Android: pinch to zoom in the viewer'],
  ['C# style guide for plugins', 'C++ style guide for plugins'],
  ['Get the value of a session cookie', 'Set the value of a session cookie'],
  ['Create custom keyboard layouts', 'Change custom keyboard layouts'],
  ['Export contacts from Outlook to Gmail', 'Export contacts from Gmail to Outlook'],
  ['Implement missing locale properties', 'Implement missing locale methods'],
  // Numbers
  ['Update the bundled runtime to 2.1', 'Update the bundled runtime to 2.3'],
  ['Update the bundled runtime to 2.1', 'Update the bundled runtime to 2.1.3'],
  ['Storage daemon v1', 'Storage daemon'],
  ['iOS7: pinch to zoom', 'iOS 10: pinch to zoom'],
  ['iOS 12: support projects of Xcode 10', 'iOS 14: support projects of Xcode 12'],
  ['Wishes of the week, May 5', 'Wishes of the week, May 12'],
  // Labels
  ['CLI: proxy setting', 'SDK: proxy setting'],
  ['CLI: proxy for the sync client', 'Proxy for the sync client'],
  ['Delete button in the viewer (Android)', 'Delete button in the viewer'],
  ['MobileWeb: complete the page view', 'MobileWeb: complete the page WebView'],
  ['[Editor] dark mode', '[Website] dark mode'],
  // Telling words
  ['Dark mode for the editor', 'Dark mode for the website'],
  ['Dark mode', 'Dark mode for the website'],
  ['Improve the dark mode', 'Add a dark mode'],
  ['Support the new motion sensors', 'Support motion sensors'],
  ['Implement Office.Calendar', 'Implement Office.Calendar.Calendar'],
  ['Remove downvotes in this subreddit', 'Remove downvotes'],
  ['Create an http module', 'Create an https module'],
  ['Open the window in full screen', 'Windows: open in full screen'],
  ['Missing events in the scroll view', 'Missing events in the scrollable view'],
  ['Export the glossary A-M', 'Export the glossary'],
] as const

describe('the similarity of two requests', () => {
  it('is above the threshold for the same title and text, near 0 for other words', () => {
    expect(similarity('Dark mode for the editor', 'Dark mode for the editor', text)).toBeGreaterThan(joiningThreshold)
    expect(similarity('Dark mode for the editor', 'Export a table as CSV')).toBeLessThan(0.02)
  })

  it.each(alike)('of %j and %j is above the threshold, with the same text', (one, other) => {
    expect(similarity(one, other, text)).toBeGreaterThan(joiningThreshold)
  })

  it.each(different)('of %j and %j is below the threshold, even with the same text', (one, other) => {
    expect(similarity(one, other, text)).toBeLessThan(joiningThreshold)
    expect(similarity(other, one, text)).toBeLessThan(joiningThreshold)
  })

  it.each([
    ['iOS: pinch to zoom in the viewer', 'Pinch to zoom in the viewer'],
    ['Pinch to zoom in the viewer on iOS', 'Pinch to zoom in the viewer'],
    ['CLI: proxy for the sync client', 'Proxy for the sync client'],
    ['Suggestions', 'Suggestions?'],
    ['A quick question', 'Quick question'],
  ])('of %j and %j is below the threshold where the texts differ, or have no words', (one, other) => {
    const texts = [
      textOf(one, text),
      textOf(other, 'I work late and would like a black background with light letters.'),
    ]
    expect(similaritiesOf(texts[0]!, [texts[1]!], counts)[0]).toBeLessThan(joiningThreshold)
    expect(similarity(one, other)).toBeLessThan(joiningThreshold)
  })

  it.each([
    ['github', 'acme/app', 'github', 'acme/site', text, false],
    ['github', 'acme/app', 'github', 'Acme/App', text, true],
    ['reddit', 'r/acme', 'reddit', 'r/zenith', text, false],
    ['discourse', 'forum.acme.com: Ideas', 'discourse', 'forum.acme.com: Mobile', text, true],
    ['discourse', 'forum.acme.com: Ideas', 'github', 'acme/app', text, true],
    ['discourse', 'forum.acme.com: Ideas', 'github', 'zenith/acme', text, true],
    ['discourse', 'forum.acme.com: Ideas', 'lemmy', '!acme@lemmy.example', text, true],
    ['discourse', 'forum.acme.com: Ideas', 'discourse', 'forum.zenith.com: Ideas', `${text} So has Acme.`, false],
    ['discourse', 'forum.acme.com: Ideas', 'reddit', 'r/selfhosted', text, false],
    ['discourse', 'forum.acme.com: Ideas', 'hackernews', null, text, false],
    ['github', 'acme/note-book', 'hackernews', null, `${text} I mean Note Book.`, true],
    ['github', 'zenith/note-book', 'stackexchange', 'softwarerecs', `${text} Take note.`, false],
    ['hackernews', null, 'stackexchange', 'softwarerecs', text, true],
  ])(
    'in %s %j and in %s %j with %j is above the threshold: %j',
    (platform, sourceName, on, at, description, isAbove) => {
      const one = textOf('Dark mode for the editor', text, { platform, sourceName })
      const other = textOf('Dark mode for the editor', description, { platform: on, sourceName: at })
      expect(similaritiesOf(one, [other], counts)[0]! >= joiningThreshold).toBe(isAbove)
      expect(similaritiesOf(other, [one], counts)[0]! >= joiningThreshold).toBe(isAbove)
    },
  )

  it('of titles with the same telling words is above the threshold, also where the texts differ, unless another small word stands between them', () => {
    const one = textOf('Support external stylesheets for an editor', text)
    const other = (title: string) =>
      textOf(title, 'Our designers keep a file of rules that all pages of ours should read.')
    // Among so many of the same subject it does not stand out.
    const siblings = Array<ReturnType<typeof textOf>>(15).fill(
      textOf('Support internal stylesheets for an editor', text),
    )
    const similarityTo = (title: string) => similaritiesOf(one, [...siblings, other(title)], counts)[15]!
    expect(similarityTo('Please add external style sheets for editors')).toBeGreaterThanOrEqual(joiningThreshold)
    expect(similarityTo('Support external stylesheets from any editor')).toBeLessThan(joiningThreshold)
    expect(similarityTo("Don't support external stylesheets for an editor")).toBeLessThan(joiningThreshold)
  })

  it('of a copy with another word, or of another product, is low, and still enough to be shown', () => {
    const one = 'Export the table of results as a file'
    const other = 'Export the table of results'
    const ofCopies = similarity(one, other, text)
    const product = { sourceName: 'other/app' }
    const [ofOtherProduct] = similaritiesOf(textOf(other, text), [textOf(other, text, product)], counts)
    expect(ofCopies).toBeLessThan(similarity(other, other, text) * 0.6)
    for (const value of [ofCopies, ofOtherProduct!]) expect(value).toBeGreaterThan(possiblySameThreshold)
    for (const value of [ofCopies, ofOtherProduct!]) expect(value).toBeLessThan(0.2)
  })

  it('is the same for equal candidates, whatever their order', () => {
    const [first, second] = similaritiesOf(textOf('Dark mode'), [textOf('Dark mode'), textOf('Dark mode')], counts)
    expect(first).toBe(second)
  })

  it('of texts without a word is near 0', () => {
    expect(similarity('', '')).toBeLessThan(0.05)
    expect(similaritiesOf(textOf('Dark mode'), [], counts)).toEqual([])
  })
})

describe('titles', () => {
  const conflicts = (one: string, other: string) => conflictsOf(textOf(one), textOf(other))
  it('are opposed only where both take a side and share none', () => {
    expect(conflicts('Support for Windows', 'Support for Linux').opposed).toBe(1)
    expect(conflicts('Support for Windows and Linux', 'Linux support').opposed).toBe(0)
    expect(conflicts('Support for Windows', 'Support').opposed).toBe(0)
    expect(conflicts('Resize the window', 'Support for Linux').opposed).toBe(0)
    expect(conflicts('Socket.IO transport', 'Android transport').opposed).toBe(0)
  })

  it('have different numbers where one or both have one of their own', () => {
    expect(conflicts('Node 20', 'Node 22').numbers).toBe(1)
    expect(conflicts('Node 20', 'Node').numbers).toBe(0.5)
    expect(conflicts('Version 2.1', 'Version 2.1.3').numbers).toBe(0.5)
    expect(conflicts('Node 20: top-level await', 'Node: top-level await').numbers).toBe(0)
  })

  it.each([
    ['Hyperloop: iOS - dark mode', ['Hyperloop', 'iOS'], 'dark mode'],
    ['[Feature Request] [CLI] Dark mode (backport)', ['', 'CLI'], 'Dark mode'],
    ['WP8 (C++): dark mode', ['WP8 (C++)'], 'dark mode'],
    ["iOS | Don't close std::map at 10:30", ['iOS'], 'Don close std::map at 10:30'],
    ['One of many long beginnings: dark mode', [], 'One of many long beginnings: dark mode'],
    ['A name :', [], 'A name :'],
  ])('such as %j have labels', (title, labels, body) => {
    expect(splitLabels(title)).toEqual({ labels, body })
  })
})
