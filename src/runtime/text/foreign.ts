import type {} from 'pino'

declare const foreign: unique symbol
declare const place: unique symbol

/** Untrusted text, typed as a symbol so that no string, path, prompt or log accepts it; only `escapeFor` reads it. */
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
