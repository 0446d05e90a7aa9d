import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3'
import type { Fields } from '../../content/fields.ts'

/** An error in a board description. The message names the place and what is expected there. */
export class BoardError extends Error {
  override readonly name = 'BoardError'
}

/** JSONPath (RFC 9535) without functions: `match` and `search` would run a description's regex on untrusted text. */
const environment = new JSONPathEnvironment({ maxRecursionDepth: 20 })
environment.functionRegister.clear()

const maxPath = 200
/** Per item field: tags are the longest list. */
const maxValues = 50

/** Refuses `..` and a second `$`: they cost a power of the answer's size. @param where for errors @throws BoardError */
function compile(path: string, where: string): JSONPathQuery {
  if (path.length > maxPath) throw new BoardError(`${where}: a path has at most ${maxPath} characters.`)
  if (path.includes('..')) throw new BoardError(`${where}: ".." is not allowed; name each step.`)
  if (path.indexOf('$', 1) > 0) throw new BoardError(`${where}: only its beginning may be "$".`)
  try {
    return environment.compile(path)
  } catch (error) {
    throw new BoardError(`${where}: ${path} is no JSONPath: ${(error as Error).message.slice(0, 100)}.`)
  }
}

export type ReadValues = (item: Fields) => unknown[]

/** A path to at most one value of the answer. @throws BoardError */
export function singlePath(path: string, where: string): (body: unknown) => unknown {
  const query = compile(path, where)
  if (!query.singularQuery()) throw new BoardError(`${where}: ${path} must name one value, without * or a filter.`)
  return (body) => query.query(body as never).values()[0]
}

/** A condition on items, such as `@.private == false`. @throws BoardError */
export function condition(text: string, where: string): (items: readonly unknown[]) => unknown[] {
  const query = compile(`$[?${text}]`, where)
  return (items) => query.query(items as never).values() as unknown[]
}

const placed = /\{(\$[^{}]*)\}/g

/**
 * A path starting with `$`, or text with paths in it (`https://acme.example/ideas/{$.slug}`), without a value if one of
 * them has none.
 * @throws BoardError
 */
export function fieldPath(text: string, where: string): ReadValues {
  if (text.startsWith('$')) {
    const query = compile(text, where)
    return (item) => {
      const values: unknown[] = []
      for (const node of query.lazyQuery(item as never)) {
        values.push(node.value)
        if (values.length === maxValues) break
      }
      return values
    }
  }
  const paths = [...text.matchAll(placed)].map(([, path]) => compile(path!, where))
  if (paths.length === 0) throw new BoardError(`${where}: must be a path, such as $.title, or a text with one in {…}.`)
  return (item) => {
    const values = paths.map((query) => query.query(item as never).values()[0])
    if (!values.every((value) => typeof value === 'string' || typeof value === 'number')) return []
    let next = 0
    return [text.replace(placed, () => encodeURIComponent(String(values[next++])))]
  }
}
