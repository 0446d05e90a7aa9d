import { Html, html } from '../../http/html.ts'
import { style } from './style.ts'

interface HtmlDocument {
  title: string
  /** Value of the attribute `lang`. */
  language: string
  body: Html
  head?: Html
}

/** A complete HTML document that loads nothing and is not indexed. */
export const htmlDocument = ({ title, language, body, head = html`` }: HtmlDocument): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${head}<title>${title} · Wishwell</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text
