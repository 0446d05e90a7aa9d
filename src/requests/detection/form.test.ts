import { expect, test } from 'vitest'
import { readForm } from './form.ts'

test.each([
  ['a heading', '### Issue type\n\nFeature Request\n\n### Version\n\n2.1'],
  ['a heading as plain text', 'Type\n\nImprovement\n\nI want it'],
  ['a heading without line breaks', '### Issue type Feature Request ### Version 2.1 ### Current behaviour It is slow'],
  ['bold', '**Type:** Feature'],
  ['a line', 'Type: feature request'],
  ['markup', 'Issue Type: <b>Feature Request</b>\n\nWider breadcrumbs'],
  ['an emoji', '**Issue type:** 🚀 Feature'],
  ['a list', '- Bug or feature request?: feature'],
  ['a number', '1. Issue type: Feature'],
  ['a command', '/kind feature'],
  ['a quoted command', '> /kind feature'],
  ['a choice in its line', '**Is this a BUG REPORT or FEATURE REQUEST?** (choose one): FEATURE REQUEST'],
  ['a choice below', 'Is this a bug report or feature request?\n\n**feature**'],
  ['a sentence', '**Do you want to request a *feature* or report a *bug*?**\n\nI want to request a feature.'],
  ['boxes', 'Is this a bug report or feature request?\n- [ ] bug\n- [X] feature request'],
  ['the only box left', 'Is this a bug report or feature request?\n- [x] feature request'],
  ['boxes without a question', '- [ ] bug report => search first\n- [x] feature request'],
  [
    'boxes in a block of code',
    '**I\'m submitting a ...** (check one with "x")\n```\n[ ] bug\n[x] feature request\n```',
  ],
])('a form that says feature by %s is evidence of a wish', (_form, text) => {
  expect(readForm(text).evidence).toBe('wish')
})

test.each([
  '### Type of issue\n\nQuestion',
  'Category: documentation',
  '- **Type**: Bug',
  'What kind of issue is this? A bug.',
  '- [x] bug report\n- [ ] feature request',
  '/kind bug',
])('the form %j is evidence against a wish', (text) => {
  expect(readForm(text).evidence).toBe('other')
})

test.each([
  ['nothing', ''],
  ['all choices', 'Please choose: (bug / feature / question)\n\nIt is slow'],
  ['all choices in a line', 'Type: bug / feature'],
  ['all choices in a list', 'Is this a bug report or feature request?\n- bug\n- feature'],
  ['boxes that nobody ticked', '- [ ] bug\n- [ ] feature'],
  ['two ticked boxes', '- [x] bug\n- [x] feature'],
  ['a box about something else', '- [x] I have searched existing feature requests\n- [x] I read the documentation'],
  ['prose', 'type: the feature of this is that bugs are rare'],
  ['a question in prose', 'Is it a bug or a feature that it closes?\nThe window closes.'],
  ['data', '"type": "Feature",'],
  ['code', '```\ntype: feature\n```'],
  ['a comment of the template', '<!-- Is this a bug or a feature? -->\nfeature'],
])('a text with %s has no evidence', (_what, text) => {
  expect(readForm(text).evidence).toBe('none')
})

test('of a form with a type its headings, choices and empty fields are left out, and the text of its author stays', () => {
  const { text } = readForm(
    [
      '### Issue type',
      'Feature request',
      '### Operating system',
      '_No response_',
      '### Current behaviour',
      '```shell',
      'The operation has no kernel for half precision.',
      '```',
      '### Log',
      '```',
      'Killed',
      '```',
      '- [x] I have searched',
      'Please add one.',
    ].join('\n'),
  )
  expect(text.split('\n').filter((line) => line !== '')).toEqual([
    'The operation has no kernel for half precision.',
    '```',
    'Killed',
    '```',
    'Please add one.',
  ])
})

test('headings of a form for wishes alone stay: they say what it is', () => {
  const text = '**Describe the solution you would like**\n\nA button'
  expect(readForm(text)).toEqual({ evidence: 'none', text })
})

const long = 10 * 1024 * 1024
test.each([
  ['colons', ':'],
  ['fields', 'type: '],
  ['boxes', '- [x] '],
  ['open parentheses', '('],
  ['stars', '**'],
  ['lines of fields', 'type:\n'],
  ['open comments', '<!--'],
])('10 MB of %s are read', (_name, part) => {
  // Read whole, they would take minutes, longer than a test may.
  for (let round = 0; round < 10; round += 1) expect(readForm(part.repeat(long / part.length)).evidence).toBe('none')
})
