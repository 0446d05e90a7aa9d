import type {} from 'pino'

declare const foreign: unique symbol
declare const place: unique symbol

/**
 * A text of strangers. It is a string that the type checker takes for a symbol: no string, template literal, path, header, prompt or field of a log
 * line accepts it, and it has no methods. Only the escape of a place reads it (`escapeFor`).
 */
export type ForeignText = symbol & { readonly [foreign]: true }

/** A text as one place takes it, such as `tracker`. */
export type EscapedFor<Place extends string> = string & { readonly [place]: Place }

export const foreignText = (text: string): ForeignText => text as unknown as ForeignText

/** Makes the escape of a place; its name says which, such as `forTracker`. */
export const escapeFor =
  <Place extends string>(escaped: (text: string) => string) =>
  (text: ForeignText): EscapedFor<Place> =>
    escaped(text as unknown as string) as EscapedFor<Place>

type Letters<Text> = Text extends `${infer Letter}${infer Rest}` ? Letter | Letters<Rest> : never
/** All names but `err`, of which the type checker knows nothing where it is caught. */
type LogField = `${Letters<'abcdfghijklmnopqrstuvwxyz'>}${string}` | `e${Letters<'abcdefghijklmnopqstuvwxyz'>}${string}`

declare module 'pino' {
  interface LogFnFields {
    [field: LogField]: string | number | bigint | boolean | null | undefined | (object & { readonly [foreign]?: never })
  }
}
