const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, including quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign]!)

/** Part of a page made by `html`, so its texts are escaped. */
export class Html {
  readonly text: string

  /** Only for existing HTML, such as our stylesheets. */
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = Html | string | number | null | readonly HtmlValue[]

function render(value: HtmlValue): string {
  if (value === null) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'string' || typeof value === 'number' ? escapeHtml(String(value)) : value.map(render).join('')
}

/** HTML with escaped values, so none can be forgotten. Attributes need double quotes. */
export const html = (parts: TemplateStringsArray, ...values: HtmlValue[]): Html =>
  new Html(parts.map((part, at) => part + render(values[at] ?? null)).join(''))
