import { createHash } from 'node:crypto'
import { canonicalJson } from '../../runtime/canonical-json.ts'

// A brief is stored as a head and parts. A part depends on certain requests and is deleted with any of them.

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

/** Collects the parts of a document being made. @param known the parts that it already has */
export function createParts(known: readonly Part[] = []) {
  const parts: Part[] = [...known]
  return {
    parts,
    /** @returns the placeholder for the part, typed as the content; null once it is deleted. */
    of<Content>(requestIds: readonly string[], content: Content): Content | null {
      parts.push({ requestIds, content })
      return { part: parts.length - 1 } satisfies Reference as Content
    },
  }
}

/** Joins a head with its remaining parts; deleted ones become null. @param contents by part number */
export function joinParts(head: unknown, contents: ReadonlyMap<number, unknown>): unknown {
  if (Array.isArray(head)) return head.map((one) => joinParts(one, contents))
  if (typeof head !== 'object' || head === null) return head
  if (isReference(head)) return joinParts(contents.get(head.part) ?? null, contents)
  return Object.fromEntries(Object.entries(head).map(([name, inner]) => [name, joinParts(inner, contents)]))
}

/** Serializes a document: two-space indentation, sorted properties. */
export const documentJson = (document: unknown): string => `${canonicalJson(document, 2)}\n`

/** The snapshot name of a document: SHA-256 in hex. */
export const snapshotOf = (document: unknown): string =>
  createHash('sha256').update(documentJson(document)).digest('hex')
