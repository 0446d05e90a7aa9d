import type { Token } from 'markdown-it'

/** Texts in forms and templates left empty. */
const fillers = /^[_*]{0,2}(?:no response|n\/?a|none|not applicable|nothing|tbd|-+|\.+|…)[_*]{0,2}\.?$/i
/** GitHub's forms write this into empty fields, so it is a filler even without a heading. */
const formFiller = /^([_*]{1,2})no response\1$/i
const tableOfContents = /^\[\[?_?toc_?\]\]?$/i
/** Hints in GitHub's own template for feature requests. */
const templateHint =
  /^(?:A clear and concise description of (?:what the problem is\.(?: Ex\. I'm always frustrated when \[\.{3}\])?|what you want to happen\.|any alternative solutions or features you've considered\.)|Add any other context or screenshots about the feature request here\.)$/
const boldLine = /^(\*\*|__)(?!\s)[^*_\n]{1,200}\1:?$/

type Content = 'nothing' | 'comment' | 'filler' | 'text'

interface Section {
  heading: Token[]
  /** 1 to 6; 7 for a bold line used as heading; 0 before the first. */
  level: number
  body: Token[][]
  content: Content
}

/** Drops empty template sections and tables of contents. Keeps a text of headings only: its author wrote them. */
export function withoutFillers(tokens: Token[]): Token[] {
  const sections = sectionsOf(blocksOf(tokens))
  const hasText = sections.some(({ content }) => content === 'text')
  const isLeft = keptSections(sections, hasText)
  return sections.flatMap(({ heading, body }, index) => {
    const own = body.filter((block) => contentOf(block) !== 'filler').flat()
    return isLeft[index] ? [...heading, ...own] : []
  })
}

/** Splits a document into top-level blocks: a paragraph, list or heading with all of its tokens. */
function blocksOf(tokens: Token[]): Token[][] {
  const blocks: Token[][] = []
  for (const token of tokens) {
    const isStart = token.level === 0 && token.nesting >= 0
    if (isStart) blocks.push([token])
    else blocks.at(-1)?.push(token)
  }
  return blocks
}

function sectionsOf(blocks: Token[][]): Section[] {
  const sections: Section[] = [{ heading: [], level: 0, body: [], content: 'nothing' }]
  for (const block of blocks) {
    const level = headingLevel(block)
    const section = sections.at(-1)!
    if (level > 0) sections.push({ heading: block, level, body: [], content: 'nothing' })
    else {
      section.body.push(block)
      section.content = strongest(section.content, contentOf(block, section.level > 0))
    }
  }
  return sections
}

const strength: readonly Content[] = ['nothing', 'comment', 'filler', 'text']
const strongest = (a: Content, b: Content) => (strength.indexOf(a) > strength.indexOf(b) ? a : b)

function headingLevel(block: Token[]): number {
  const [first, inline] = block
  if (first?.type === 'heading_open') return Number(first.tag.slice(1))
  return first?.type === 'paragraph_open' && boldLine.test(inline?.content ?? '') ? 7 : 0
}

function contentOf([first, inline]: Token[], isSection = false): Content {
  if (first?.type === 'html_block') return isComment(first.content) ? 'comment' : 'text'
  if (first?.type === 'hr') return 'nothing'
  if (first?.type !== 'paragraph_open') return 'text'
  const text = inline?.content.trim() ?? ''
  const [line, hint = ''] = text.split('\n')
  if (templateHint.test(text) || (boldLine.test(line ?? '') && templateHint.test(hint) && isLastLine(text)))
    return 'filler'
  if (formFiller.test(text) || tableOfContents.test(text)) return 'filler'
  if (isSection && fillers.test(text)) return 'filler'
  return inline?.children?.every(({ type }) => type === 'image') ? 'nothing' : 'text'
}

const isLastLine = (text: string) => text.split('\n').length === 2

const isComment = (source: string) => source.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim() === ''

/** Keeps sections that have text, and those above one. Reads from last to first. */
function keptSections(sections: Section[], hasText: boolean): boolean[] {
  const kept: boolean[] = []
  const below: { level: number; isKept: boolean }[] = []
  for (let index = sections.length - 1; index >= 0; index--) {
    const { level, content } = sections[index]!
    let isKept = !isEmptySection(sections[index]!, hasText)
    while (below.length > 0 && below.at(-1)!.level > level) isKept = below.pop()!.isKept || isKept
    below.push({ level, isKept })
    kept[index] = isKept || (level === 0 && content !== 'nothing')
  }
  return kept
}

function isEmptySection({ level, content }: Section, hasText: boolean): boolean {
  if (content === 'filler') return true
  if (content === 'comment') return hasText
  // A lone top-level heading or bold line is often the wish itself.
  return content === 'nothing' && hasText && level >= 2 && level <= 6
}
