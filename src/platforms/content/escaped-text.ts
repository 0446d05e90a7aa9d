const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Unescapes `&`, `<` and `>`, once only: `&amp;lt;` means `&lt;`. */
export function unescapeText(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity]!)
}
