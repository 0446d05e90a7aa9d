import { expect, it } from 'vitest'
import { gitlabToPlainText } from './text.ts'

it.each([
  ['![shot](/uploads/1/a.png){width=600 height=349}\n\nDark mode, please.', 'Dark mode, please.'],
  ['See [the page](https://x.example){.btn} here.', 'See the page here.'],
  ['[[_TOC_]]\n\nWhy', 'Why'],
  ['[[TOC]]\nWhy', 'Why'],
  ['[TOC]\nWhy', 'Why'],
  ['Please add tabs.\n\n/label ~"type::feature" ~ui\n/cc @ada\n/assign me', 'Please add tabs.'],
  ['/close', ''],
  ['The path /label and {width=1} stay.', 'The path /label and {width=1} stay.'],
  ['/home/ada is full', '/home/ada is full'],
  ['```\n/label ~x\n[[TOC]]\n```', '/label ~x\n[[TOC]]'],
])('%j reads as %j', (markdown, text) => {
  expect(gitlabToPlainText(markdown)).toBe(text)
})
