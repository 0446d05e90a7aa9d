/** What adapters need to read their platforms' texts. */
export { firstSentence } from './first-sentence.ts'
export { escapedTitle, htmlToPlainText } from './html.ts'
export { flowingMarkdownToPlainText, markdownToPlainText } from './markdown.ts'
export {
  cleanTags,
  plainName,
  plainText,
  plainTitle,
  textLimitBytes,
  titleLimit,
  withoutSpoilerMarks,
} from './plain-text.ts'
