import type {} from 'pino'

declare const foreign: unique symbol
declare const place: unique symbol

/** Untrusted text, typed as a symbol so that no string, path, prompt or log accepts it; only `escapeFor` reads it. */
export type ForeignText = symbol & { readonly [foreign]: true }

/** Text escaped for one place, e.g. `tracker`. */
export type EscapedFor<Place extends string> = string & { readonly [place]: Place }

export const foreignText = (text: string): ForeignText => text as unknown as ForeignText

/** Creates a place's escape, named after it, e.g. `forTracker`. */
export const escapeFor =
  <Place extends string>(escaped: (text: string) => string) =>
  (text: ForeignText): EscapedFor<Place> =>
    escaped(text as unknown as string) as EscapedFor<Place>

type Letters<Text> = Text extends `${infer Letter}${infer Rest}` ? Letter | Letters<Rest> : never
/** All names except `err`, whose type is unknown where it is caught. */
type LogField = `${Letters<'abcdfghijklmnopqrstuvwxyz'>}${string}` | `e${Letters<'abcdefghijklmnopqstuvwxyz'>}${string}`

declare module 'pino' {
  interface LogFnFields {
    [field: LogField]: string | number | bigint | boolean | null | undefined | (object & { readonly [foreign]?: never })
  }
}
