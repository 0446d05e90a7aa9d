import { createHash } from 'node:crypto'
import { canonicalJson } from '../../runtime/canonical-json.ts'

// A brief is stored as a head and parts. A part holds what is known from some requests alone, and goes with any of them.

/** What goes when one of the requests is deleted. */
export interface Part {
  requestIds: readonly string[]
  content: unknown
}

interface Reference {
  part: number
}

const isReference = (value: object): value is Reference => {
  const names = Object.keys(value)
  return names.length === 1 && names[0] === 'part'
}

/** Collects the parts of a document while it is made. @param known those that it has already. */
export function createParts(known: readonly Part[] = []) {
  const parts: Part[] = [...known]
  return {
    parts,
    /** @returns what stands in the document for the part; typed as the content, or null where it is gone by then. */
    of<Content>(requestIds: readonly string[], content: Content): Content | null {
      parts.push({ requestIds, content })
      return { part: parts.length - 1 } satisfies Reference as Content
    },
  }
}

/** The document of a head and those of its parts that are left; null stands where one is gone. @param contents by their numbers. */
export function joinParts(head: unknown, contents: ReadonlyMap<number, unknown>): unknown {
  if (Array.isArray(head)) return head.map((one) => joinParts(one, contents))
  if (typeof head !== 'object' || head === null) return head
  if (isReference(head)) return joinParts(contents.get(head.part) ?? null, contents)
  return Object.fromEntries(Object.entries(head).map(([name, inner]) => [name, joinParts(inner, contents)]))
}

/** The bytes of a document: two spaces a level, properties in the order of their names. */
export const documentJson = (document: unknown): string => `${canonicalJson(document, 2)}\n`

/** The name of a state: SHA-256 of the document as it was made, in hex. */
export const snapshotOf = (document: unknown): string =>
  createHash('sha256').update(documentJson(document)).digest('hex')
