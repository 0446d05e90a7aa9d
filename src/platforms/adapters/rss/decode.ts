import { type AnswerHeaders, headerText } from '../../headers.ts'

/** Byte order marks, and the start of UTF-16 without one: `<` or `{` next to a zero byte. */
const beginnings: ReadonlyArray<readonly [encoding: string, bytes: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0x3c, 0x00]],
  ['utf-16be', [0x00, 0x3c]],
  ['utf-16le', [0x7b, 0x00]],
  ['utf-16be', [0x00, 0x7b]],
]

/** The start of a feed, long enough for any prolog. */
const prologBytes = 1_000

/** Encodings in which text may look like ASCII but is not. */
const escaping = /^iso-2022-/

/** A decoder for a WHATWG encoding label; null if the label is unknown. */
function decoderOf(label: string | undefined, isFatal = false): InstanceType<typeof TextDecoder> | null {
  try {
    return label === undefined ? null : new TextDecoder(label.toLowerCase(), { fatal: isFatal })
  } catch {
    return null
  }
}

function decodedStrictly(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * A byte order mark decides (RFC 7303); else UTF-8 if valid, because a wrong encoding is often named and others are
 * hardly ever valid UTF-8; else the prolog, `Content-Type`, then windows-1252.
 */
export function decodeFeed(bytes: Uint8Array, headers: AnswerHeaders): string {
  const marked = beginnings.find(([, begin]) => begin.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined) return decoderOf(marked[0])!.decode(bytes)
  const prolog = new TextDecoder('latin1').decode(bytes.subarray(0, prologBytes))
  const written = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(prolog)?.[1]
  const sent = /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(headerText(headers, 'content-type') ?? '')?.[1]
  const named = [decoderOf(written), decoderOf(sent)].filter((decoder) => decoder !== null)
  const escaped = named.find(({ encoding }) => escaping.test(encoding))
  if (escaped) return escaped.decode(bytes)
  // Invalid UTF-8 is not UTF-8, whatever it is called.
  const other = named.find(({ encoding }) => !/^utf-/.test(encoding))
  return decodedStrictly(bytes) ?? (other ?? decoderOf('windows-1252')!).decode(bytes)
}
