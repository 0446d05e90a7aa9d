const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Text in which a platform has escaped `&`, `<` and `>` and nothing else; once, since `&amp;lt;` means `&lt;`. */
export function unescapeText(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity]!)
}
