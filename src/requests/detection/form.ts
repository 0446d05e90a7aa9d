import { comment } from './features.ts'
import { agreed, type Evidence, meaningOf } from './labels.ts'

export interface FormText {
  evidence: Evidence
  /** The author's own text, without the form's headings, choices and empty fields. */
  text: string
}

/** Type fields are short lines at a text's start. */
const maxFormText = 6_000
const maxLine = 160

const typeFields: ReadonlySet<string> = new Set([
  ...['type', 'issue type', 'request type', 'ticket type', 'report type', 'type of issue', 'type of report'],
  ...['type of request', 'kind', 'issue kind', 'kind of issue', 'category', 'issue category', 'please choose'],
  ...['please choose one', 'what type of issue is this', 'what kind of issue is this', 'this is a', 'this issue is a'],
  ...['i m submitting a', 'i am submitting a', 'i m reporting a', 'select the issue type', 'select issue type'],
])
/** "Is this a bug report or a feature request?" is a type field too. */
const wishWord = /\b(?:feature|enhancement|improvement|suggestion|proposal)/i
const otherWord = /\b(?:bug|defect|question|support)/i
const choice = /\bor\b|[/|]/i
const maxName = 100
/** Filler words in an answer: "I want to request a feature". */
const fillers: ReadonlySet<string> = new Set([
  ...['a', 'an', 'the', 'this', 'issue', 'is', 'it', 's', 'i', 'm', 'd', 'am', 'want', 'wanted', 'to', 'would', 'like'],
  ...['request', 'requesting', 'report', 'reporting', 'just', 'my', 'please', 'submit'],
])
const documentation: ReadonlySet<string> = new Set(['documentation', 'docs', 'documentation issue', 'doc issue'])

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()

/** The meaning of an answer that is nothing but a type. */
function answerOf(text: string): Evidence {
  const words = wordsOf(text.split(/[=:;.!]| - /, 1)[0]!)
  if (documentation.has(words)) return 'other'
  const whole = meaningOf(words)
  if (whole !== 'none') return whole
  return meaningOf(
    words
      .split(' ')
      .filter((word) => !fillers.has(word))
      .join(' '),
  )
}

function isTypeField(name: string): boolean {
  // In quotes, it is a data field, as in GeoJSON.
  if (name.length > maxName || /["'{}]\s*$/.test(name)) return false
  return typeFields.has(wordsOf(name)) || (choice.test(name) && wishWord.test(name) && otherWord.test(name))
}

const command = /^\/(?:kind|type)\s+/

/** The answer in a heading that lost its line breaks: "### Issue type Feature request". */
function answerOfFlatField(line: string): string | null {
  const words = wordsOf(line)
  const name = [...typeFields].find((field) => words.startsWith(`${field} `))
  const answer = name && words.slice(name.length)
  return answer && answerOf(answer) !== 'none' ? answer : null
}

/** The rest of a type field's line (the answer or ''); null for any other line. */
function afterTypeField(line: string): string | null {
  if (command.test(line)) return line.replace(command, '')
  const end = line.search(/[:?]/)
  if (end < 0) return isTypeField(line) && answerOf(line) === 'none' ? '' : answerOfFlatField(line)
  return isTypeField(line.slice(0, end)) ? line.slice(end).replace(/^[:?\s-]+/, '') : null
}

const withoutMarks = (line: string) =>
  line
    .replace(/<\/?[a-z]{1,9}>/gi, '')
    .replace(/\([^()]*\)/g, '')
    .replace(/[*_`#>~]+/g, '')
    .replace(/^\s*[-+]\s+/, '')
    .trim()

const fence = /^\s*(?:```|~~~)/
const box = /^\s*(?:[-*+]\s+|\d{1,2}[.)]\s+)?\[\s?([x✓✔]?)\s?\]\s*/i

const beginning =
  /^[^a-z]{0,12}(?:<b>|<strong>)?(?:x ?\]|[✓✔]|type|issue (?:type|kind|category)|(?:request|ticket|report) type|kind|category|please choose|what (?:type|kind)|(?:th)?is |i'?m |i am |select |(?:do|are|would) you|bug|feature|enhancement|defect|question|improvement|suggestion|support)/i

/** A fast check: most texts have no type field. Reads only the start of short lines. */
function hasTypeField(text: string): boolean {
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    if (end - start > maxLine || end - start < 4) continue
    const line = text.slice(start, end)
    if (beginning.test(line) && (box.test(line) || afterTypeField(withoutMarks(line)) !== null)) return true
  }
  return false
}

/** The answers to a text's type fields. Boxes count as a type field if they offer wishes and something else. */
function typeAnswers(lines: readonly string[]): Evidence[] {
  const answers: Evidence[] = []
  const offered: Evidence[] = []
  const ticked: Evidence[] = []
  let [isAsked, isCode] = [false, false]
  for (const line of lines) {
    const boxed = box.exec(line)
    if (boxed) {
      const meaning = answerOf(withoutMarks(line.slice(boxed[0].length)))
      offered.push(meaning)
      if (boxed[1]) (isAsked ? answers : ticked).push(meaning)
    } else if (fence.test(line)) isCode = !isCode
    else if (!isCode && line.trim() !== '') {
      const plain = withoutMarks(line)
      const answer = afterTypeField(plain)
      if (answer) answers.push(answerOf(answer))
      else if (answer === null && isAsked) answers.push(answerOf(plain))
      isAsked = answer === '' || (isAsked && answers.at(-1) !== 'none')
    }
  }
  return agreed(offered) === 'none' && offered.some((meaning) => meaning !== 'none') ? [...answers, ...ticked] : answers
}

const heading = /^\s*(?:#{1,6}\s|\*\*[^*]+\*\*[:?.\s]*$)/
const empty = /^\s*_?no response_?\s*$/i
/** Fields whose content forms may render as code. */
const proseField = /behaviou?r|descri|happened|summary|request/i

function authorsLines(lines: readonly string[]): string[] {
  let field = ''
  let block: 'none' | 'prose' | 'code' = 'none'
  return lines.filter((line) => {
    if (fence.test(line)) {
      const isProse = block === 'none' ? proseField.test(field) : block === 'prose'
      block = block === 'none' ? (isProse ? 'prose' : 'code') : 'none'
      return !isProse
    }
    if (block !== 'none' || line.length > maxLine) return true
    const plain = withoutMarks(line)
    if (plain === '') return true
    field = heading.test(line) ? plain : ''
    if (field !== '' || box.test(line) || empty.test(line)) return false
    return answerOf(plain) === 'none' && afterTypeField(plain) === null
  })
}

/** Reads the type field of a form or template: GitHub forms, boxes, "Type: feature", "/kind feature". Linear time. */
export function readForm(description: string): FormText {
  const start = description.slice(0, maxFormText)
  const isFlat = start.includes('#') && start.includes(' ### ')
  const broken = isFlat ? start.replaceAll(' ### ', '\n### ') : start
  if (!hasTypeField(broken)) return { evidence: 'none', text: description }
  const lines = broken.replace(comment, '').split('\n')
  const answers = typeAnswers(lines.filter((line) => line.length <= maxLine))
  if (answers.every((answer) => answer === 'none')) return { evidence: 'none', text: description }
  // Without line breaks, a heading cannot be told from its answer.
  return { evidence: agreed(answers), text: isFlat ? description : authorsLines(lines).join('\n') }
}
