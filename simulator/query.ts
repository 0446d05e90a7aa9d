import { otherRequestPhrases, requestPhrases } from './vocabulary.ts'

export interface Clause {
  kind: 'word' | 'phrase' | 'qualifier'
  /** Of a qualifier, in lower case; else empty. */
  name: string
  values: string[]
  negated: boolean
}

/** A search as typed: every group must hold, and a group holds when one of its clauses does. */
export interface Query {
  /** The search without qualifiers and phrases of wishing; records are generated for it. */
  topic: string
  groups: readonly Clause[][]
  /** The text without qualifiers, which is what GitHub counts against its 256 characters. */
  freeText: string
  operatorCount: number
}

const knownPhrases = new Set([...requestPhrases, ...otherRequestPhrases].map((phrase) => phrase.toLowerCase()))
const operators = new Set(['AND', 'OR', 'NOT'])

const separators = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}+#.\-'/&_]+/gu

/**
 * One form for what reads the same: lower case, punctuation as spaces. `c++`, `c#`, `node.js` and `end-to-end` stay
 * what they are, and an emoji is a word.
 */
export function canonicalText(text: string): string {
  return text
    .toLowerCase()
    .replace(separators, ' ')
    .split(' ')
    .map((word) => word.replace(/^[.\-'/&]+|[.\-'/&]+$/g, ''))
    .filter((word) => word !== '')
    .join(' ')
}

/**
 * Reads a search box: words, "quoted phrases", -exclusions, OR and NOT, and `name:value,"other value"` for the
 * qualifiers that are named; a colon after any other word is only text.
 */
export function parseQuery(text: string, qualifierNames: readonly string[] = []): Query {
  const groups: Clause[][] = []
  const free: string[] = []
  let operatorCount = 0
  let previousOperator = ''
  for (const token of tokens(text)) {
    if (operators.has(token)) {
      operatorCount += 1
      previousOperator = token
      continue
    }
    const clause = readClause(token, qualifierNames)
    if (previousOperator === 'NOT') clause.negated = true
    if (clause.kind !== 'qualifier') free.push(token)
    if (previousOperator === 'OR' && groups.length > 0) groups.at(-1)!.push(clause)
    else groups.push([clause])
    previousOperator = ''
  }
  return { topic: topicOf(groups.flat()), groups, freeText: free.join(' '), operatorCount }
}

/** Splits at spaces and parentheses, but not inside quotes; a quote that is never closed reaches to the end. */
function* tokens(text: string): Generator<string> {
  let token = ''
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!
    if (quoted && character === '\\' && index + 1 < text.length) {
      index += 1
      token += text[index] === '"' ? ' ' : text[index]
    } else if (!quoted && /[\s()]/.test(character)) {
      if (token !== '') yield token
      token = ''
    } else {
      if (character === '"') quoted = !quoted
      token += character
    }
  }
  if (token !== '') yield token
}

function readClause(token: string, qualifierNames: readonly string[]): Clause {
  const negated = token.length > 1 && token.startsWith('-')
  const rest = negated ? token.slice(1) : token
  const colon = rest.indexOf(':')
  const name = rest.slice(0, Math.max(colon, 0)).toLowerCase()
  if (qualifierNames.includes(name) && colon + 1 < rest.length) {
    const values = [...rest.slice(colon + 1).matchAll(/"([^"]*)"|[^",]+/g)].map(([whole, inner]) => inner ?? whole)
    return { kind: 'qualifier', name, values: values.map((value) => value.toLowerCase()), negated }
  }
  const kind = rest.startsWith('"') ? 'phrase' : 'word'
  return { kind, name: '', values: [canonicalText(rest.replaceAll('"', ''))], negated }
}

function topicOf(clauses: readonly Clause[]): string {
  const wanted = clauses.filter((clause) => clause.kind !== 'qualifier' && !clause.negated)
  const own = wanted.filter((clause) => clause.kind === 'word' || !knownPhrases.has(clause.values[0]!))
  // A search for "feature request" itself has that phrase as its topic.
  const chosen = own.length > 0 ? own : wanted.slice(0, 1)
  return canonicalText(chosen.map((clause) => clause.values[0]).join(' '))
}

/**
 * Whether a text, in canonical form, and what the platform says of the record satisfy the search.
 * @param qualifies tells whether a qualifier with this value holds; null for one that is not simulated, which narrows
 * nothing
 */
export function matchesQuery(
  query: Query,
  canonical: string,
  qualifies: (name: string, value: string) => boolean | null = () => null,
): boolean {
  const holds = (clause: Clause): boolean => {
    if (clause.kind !== 'qualifier') return canonical.includes(clause.values[0]!) !== clause.negated
    const answers = clause.values.map((value) => qualifies(clause.name, value))
    return answers.includes(null) || answers.includes(true) !== clause.negated
  }
  return query.groups.every((group) => group.some(holds))
}
