import type { ForeignFile } from './file.ts'

/** A file that is in memory. */
export function inMemory(content: string | Buffer, chunkBytes = 64 * 1024): ForeignFile {
  const bytes = Buffer.from(content as string)
  return async function* read() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
}
