import { withoutUnseen } from '../../runtime/text/unseen.ts'

const maxTitle = 300

const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu
/** More combining marks than any script needs, which would overflow into the lines above. */
const markTowers = /(\p{M}{3})\p{M}+/gu

/** Foreign text without invisible characters, keeping lines, at most `maxLength` characters. */
export function bounded(text: string, maxLength: number): { text: string; isShortened: boolean } {
  // Cut first, because the rest may be long; leaves room for removals.
  const head = withoutUnseen(text.slice(0, maxLength * 4).toWellFormed())
    .replace(controls, (sign) => (sign === '\n' ? sign : ' '))
    .replace(/\n\s*\n/g, '\n\n')
    .replace(markTowers, '$1')
    .trim()
  const characters = [...head]
  const isShortened = characters.length > maxLength || text.length > maxLength * 4
  return { text: isShortened ? `${characters.slice(0, maxLength).join('').trimEnd()}…` : head, isShortened }
}

/** For headings, which need something visible. */
export const nothing = '–'

/** Foreign text on one line. */
export const titled = (text: string): string => bounded(text.replace(/\s+/g, ' '), maxTitle).text
