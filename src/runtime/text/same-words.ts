import english from './english.json' with { type: 'json' }
import { stemInOneSpelling } from './spellings.ts'
import { wordsOf } from './words.ts'

// `english.json`: words and phrases with the same meaning for products, one group a line, forms separated by bars, only
// if hardly anybody means something else. `asks` are asked for or complained about differently: searched, but not the
// same wish. `beginnings` are equal only next to speed words. `compounds` are written as one or two words.

/** Why other words are searched: abbreviation, synonym, or one word written as two. */
export const samenesses = ['abbreviation', 'synonym', 'spelling'] as const
export type Sameness = (typeof samenesses)[number]

interface Group {
  kind: Sameness
  /** Normalized words with single spaces. */
  forms: readonly string[]
}

const groupOfLine = (kind: Sameness, line: string): Group => ({
  kind,
  forms: line.split(' | ').map((form) => wordsOf(form).join(' ')),
})

const groups: Group[] = [
  ...english.abbreviations.map((line) => groupOfLine('abbreviation', line)),
  ...english.synonyms.map((line) => groupOfLine('synonym', line)),
  ...english.compounds.split(' ').map((word) => groupOfLine('spelling', word.replace('-', ' '))),
]

const stemsOf = (form: string) => form.split(' ').map(stemInOneSpelling).join(' ')
/** Two words joined; null for others. */
const joinedForm = (form: string) => (form.split(' ').length === 2 ? form.replace(' ', '') : null)

interface Form {
  group: Group
  form: string
}

/** By a form's stems, also joined: `dark modes` and `darkmode` are forms of `dark mode`. */
function formsOf(groups: readonly Group[]): Map<string, Form> {
  const found = new Map<string, Form>()
  for (const group of groups) {
    for (const form of group.forms) {
      for (const written of [form, joinedForm(form)]) {
        const key = written === null ? null : stemsOf(written)
        if (key !== null && !found.has(key)) found.set(key, { group, form })
      }
    }
  }
  return found
}
const formOf = formsOf([...english.asks.map((line) => groupOfLine('synonym', line)), ...groups])
const besideSpeed = new Map([...formOf, ...formsOf([groupOfLine('synonym', english.beginnings)])])
const speed = [...formsOf([groupOfLine('synonym', english.asks[0]!)]).keys()]
const oneFormOf = formsOf(groups.filter(({ kind }) => kind !== 'spelling'))
const maxWords = Math.max(...groups.flatMap(({ forms }) => forms.map((form) => form.split(' ').length)))

/** Words of a text, and what may replace them. */
export interface SameWords {
  /** As in the text, normalized, with single spaces. */
  words: string
  /** Equivalents, in the same form. */
  others: readonly string[]
  kind: Sameness
}

/** Other forms, except those contained in another, which finds them too. */
function othersOf({ group, form }: Form, stems: string): string[] {
  const others = [...new Set([form, joinedForm(form), ...group.forms])].filter(
    (other) => other !== null && stemsOf(other) !== stems,
  ) as string[]
  return others.filter((other) => !others.some((part) => part !== other && ` ${other} `.includes(` ${part} `)))
}

/** Length in words of the longest form at an index; 0 if none. */
function lengthAt(stems: readonly string[], index: number, isForm: (stems: string) => boolean): number {
  let length = Math.min(maxWords, stems.length - index)
  while (length > 0 && !isForm(stems.slice(index, index + length).join(' '))) length -= 1
  return length
}

/** End of a name's parts after it, as in normalized `darkMode`: `darkmode dark mode`; `index` without a name. */
export function endOfParts(words: readonly string[], index: number): number {
  const name = words[index]!
  let [joined, end] = ['', index + 1]
  while (joined.length < name.length && end < words.length) joined += words[end++]
  return joined === name && end > index + 2 ? end : index
}

/** A group's representative: a word rather than its abbreviation. */
const firstOf = ({ forms }: Group): string => (forms.at(-1)!.includes(' ') ? forms[0]! : forms.at(-1)!)

/** Unifies abbreviations and synonyms outside names: same meaning, same words. @param stem of a word */
export function inOneForm(words: readonly string[], stem: (word: string) => string = stemInOneSpelling): string[] {
  const stems = words.map(stem)
  const result: string[] = []
  for (let index = 0; index < words.length; ) {
    const end = endOfParts(words, index)
    const length = end > index ? 0 : lengthAt(stems, index, (form) => oneFormOf.has(form))
    const key = stems.slice(index, index + length).join(' ')
    const next = Math.max(index + 1, end, index + length)
    result.push(...(length > 0 ? firstOf(oneFormOf.get(key)!.group).split(' ') : words.slice(index, next)))
    index = next
  }
  return result
}

/** Words with other forms, never overlapping, longest first. @param words normalized, in order, with stop words */
export function sameWordsOf(words: readonly string[]): SameWords[] {
  const stems = words.map(stemInOneSpelling)
  const isAboutSpeed = speed.some((form) => ` ${stems.join(' ')} `.includes(` ${form} `))
  const known = isAboutSpeed ? besideSpeed : formOf
  const found: SameWords[] = []
  for (let index = 0; index < words.length; ) {
    const length = lengthAt(stems, index, (key) => known.has(key))
    if (length > 0) {
      const key = stems.slice(index, index + length).join(' ')
      const others = othersOf(known.get(key)!, key)
      const { kind } = known.get(key)!.group
      if (others.length > 0) found.push({ words: words.slice(index, index + length).join(' '), others, kind })
    }
    index += Math.max(1, length)
  }
  return found
}
