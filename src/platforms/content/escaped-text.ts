const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Unescapes text in which a platform has escaped only `&`, `<` and `>`; once, because `&amp;lt;` means `&lt;`. */
export function unescapeText(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity]!)
}
