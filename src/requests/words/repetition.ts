/** A sentence ends at a mark before a space, or with its line. In scripts without spaces the mark suffices. */
const sentence = /[^\n]*?(?:[.!?…](?=\s|$)|[。！？]|\n|$)/gu

/** Upper case within a word separates the parts of a name, so it makes a difference. */
const innerUpperCase = /[\p{L}\p{N}]\p{Lu}/u

/** A sentence in the form in which two are the same. Marks within it make a difference, because C, C++ and C# are three words. */
function formOf(text: string): string {
  const form = text.replace(/\s+/gu, ' ').replace(/^[\s*>•–-]+|(?<![\s.!?…。！？,;:])[\s.!?…。！？,;:]+$/gu, '')
  return innerUpperCase.test(form) ? form : form.toLowerCase()
}

/**
 * The parts of a text that remain when each sentence is there once. Where two parts meet, something was left out, so no phrase may
 * reach from one into the next. Takes time linear in the length of the text.
 */
export function withoutRepeatedSentences(text: string): string[] {
  const seen = new Set<string>()
  const parts: string[] = []
  let start = 0
  for (const match of text.matchAll(sentence)) {
    const form = formOf(match[0])
    if (form === '') continue
    if (seen.has(form)) {
      if (match.index > start) parts.push(text.slice(start, match.index))
      start = match.index + match[0].length
    }
    seen.add(form)
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

/** A longer sentence that people repeat has punctuation. */
const maxPeriod = 40
/** Fewer repeated words are language: "very, very", "no, no, no". */
const minRun = 6

/** How many words from `position` on are whole copies of the `period` words before it. */
function copiedFrom(words: readonly string[], position: number, period: number): number {
  let end = position
  while (end < words.length && words[end] === words[end - period]) end++
  const copied = Math.floor((end - position) / period) * period
  return period + copied >= minRun ? copied : 0
}

/** The parts of a normalised text that remain when a run of words which follows itself, without punctuation, is there once. */
export function withoutRepeatedRuns(text: string): string[] {
  const words = text.split(' ')
  const parts: string[] = []
  let start = 0
  for (let position = 1; position < words.length; position++) {
    for (let period = 1; period <= Math.min(maxPeriod, position - start); period++) {
      const copied = copiedFrom(words, position, period)
      if (copied === 0) continue
      parts.push(words.slice(start, position).join(' '))
      start = position + copied
      position = start
      break
    }
  }
  if (start < words.length) parts.push(words.slice(start).join(' '))
  return parts
}
