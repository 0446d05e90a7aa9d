import { productOf } from '../../requests/product.ts'
import { normaliseText } from '../../runtime/text/normalise.ts'

export interface Place {
  platform: string
  sourceName: string | null
}

/** What a request is about, by its source. */
export interface Product {
  platform: string
  /** Null if the source is not about a single product (`productOf`). */
  id: string | null
  /** What people call it, as lists of words: `acme/note-book` is called acme, and note book. */
  names: readonly (readonly string[])[]
}

/** Parts of host names that name no product. */
const hostParts: ReadonlySet<string> = new Set(
  `www forum forums community communities discuss discourse discussion talk meta support feedback ideas help users
  com org io net co dev app ai md me eu uk de localhost example stackexchange`.split(/\s+/),
)
/** Generic repository and project names, for which people name the owner instead. */
const repositoryParts: ReadonlySet<string> = new Set(
  `android api app apps backend client cli core desktop docs documentation editor feedback frontend github gitlab ios issues main mobile
  org plugins public roadmap sdk server site support web website windows`.split(/\s+/),
)

const partsOf: Readonly<Record<string, (id: string) => string[]>> = {
  github: (id) => id.split('/').filter((part) => !repositoryParts.has(part)),
  gitlab: (id) => id.split('/').filter((part) => !repositoryParts.has(part)),
  reddit: (id) => [id.replace(/^r\//, '')],
  lemmy: (id) => [id.replace(/^!/, '').replace(/@.*$/, '')],
}
const partsOfHost = (id: string) => id.split(/[./]/).filter((part) => !hostParts.has(part))

/** The product of a place. */
export function productAt({ platform, sourceName }: Place): Product {
  const id = productOf({ platform, sourceName })
  const parts = id === null ? [] : (partsOf[platform] ?? partsOfHost)(id)
  const names = parts.map((part) => normaliseText(part).split(' ')).filter((words) => words.join('').length > 2)
  return { platform, id, names }
}

interface Spoken {
  product: Product
  words: ReadonlyMap<string, ReadonlySet<string>>
}

function namesProduct({ words }: Spoken, { names }: Product): boolean {
  if (names.length === 0) return false
  const said = new Set([...words.values()].flatMap((forms) => [...forms]))
  return names.some((name) => name.every((word) => said.has(word)))
}

/**
 * Whether two requests are about one product. On one platform, their sources decide. Across platforms, they need a
 * common name, or a text with the other's name, even if its own product is unknown. If both are unknown, titles decide.
 */
export function areOfOneProduct(one: Spoken, other: Spoken): boolean {
  const [a, b] = [one.product, other.product]
  if (a.id === b.id && (a.id === null || a.platform === b.platform)) return true
  if (a.id !== null && b.id !== null && a.platform === b.platform) return false
  const called = new Set(b.names.map((words) => words.join('')))
  return a.names.some((words) => called.has(words.join(''))) || namesProduct(one, b) || namesProduct(other, a)
}
