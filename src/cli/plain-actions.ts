import type { paths } from '../../client/api.d.ts'
import type { DataOf } from '../../client/types.ts'
import { type Api, once, wholeList } from './api.ts'
import { type Json, pageLines, printAnswer } from './client-command.ts'
import { formatList, type Row } from './output.ts'
import { printable } from './text.ts'

// Actions of commands that make one API call, which sends what the command line says.

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Key in M]: { responses: object } } ? Path : never
}[keyof paths]
type Data<M extends Method, Path extends PathOf<M>> = DataOf<paths[Path][M]>
type Body<M extends Method, Path extends PathOf<M>> = paths[Path][M] extends {
  requestBody?: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never
type Page<Item> = { results: Item[]; hasMore: boolean; cursor: string | null }
type ListPath = {
  [Path in PathOf<'get'>]: Data<'get', Path> extends Page<unknown> ? Path : never
}[PathOf<'get'>]
type ItemOf<Path extends ListPath> = Data<'get', Path> extends Page<infer Item> ? Item : never

/** What commander passes to an action: arguments, options, command. */
type Given = [...words: unknown[], options: Json & Record<string, unknown>, command: unknown]
type Call<Data> = (api: Pick<Api, 'request'>) => Promise<{ data?: { data: Data } }>
type Print = <Data>(options: Json, call: Call<Data>, format: (answer: { data: Data }) => string[]) => Promise<void>

/** Arguments are path parameters in order; options, except `--json`, are the query (`--sort` as `sortBy`). */
function readGiven(path: string, given: Given) {
  const words = given.slice(0, -2)
  const { json, ...options } = given.at(-2) as Json & { sort?: string }
  const { sort, ...same } = options
  const query = sort === undefined ? same : { ...same, sortBy: sort }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const inPath = Object.fromEntries(names.map((name, index) => [name, words[index]]))
  return { words, json, options, query, path: inPath, others: [...words.slice(names.length), given.at(-2)] }
}

/** A call whose path is only known at runtime. */
const request =
  <Data>(method: Method, path: string, init: object): Call<Data> =>
  (api) =>
    api.request(method, path as never, init as never) as Promise<{ data?: { data: Data } }>

/** @param print as an account, or as operator */
export const actionsBy = (print: Print) => ({
  /** One call and how to print its answer. @param body if absent, options are the query */
  call:
    <M extends Method, Path extends PathOf<M>>(
      method: M,
      path: Path,
      format: (data: Data<M, Path>) => string[],
      { body, isOnce }: { body?: (...given: never[]) => Body<M, Path>; isOnce?: true } = {},
    ) =>
    async (...given: Given) => {
      const { json, query, path: inPath, others } = readGiven(path, given)
      const params = { path: inPath, header: isOnce ? once() : {} }
      const sent =
        body === undefined ? { params: { ...params, query } } : { params, body: body(...(others as never[])) }
      return print<Data<M, Path>>({ json }, request(method, path, sent), ({ data }) => format(data))
    },

  /** All pages of a list, a row per item. @param none printed for an empty list */
  list:
    <Path extends ListPath>(path: Path, rowOf: (item: ItemOf<Path>) => Row, none: string) =>
    (...given: Given) => {
      const { json, query, path: inPath } = readGiven(path, given)
      return print<Page<ItemOf<Path>>>(
        { json },
        (api) =>
          wholeList((page) =>
            request<never>('get', path, { params: { path: inPath, query: { ...query, ...page } } })(api),
          ),
        ({ data: { results } }) => formatList(results, rowOf, none),
      )
    },

  /** One page of a list, and how to get the next. @param command the command's words */
  page:
    <Path extends ListPath>(path: Path, rowOf: (item: ItemOf<Path>) => Row, none: string, command: string) =>
    (...given: Given) => {
      const { json, options, query, path: inPath, words } = readGiven(path, given)
      return print<Page<ItemOf<Path>>>(
        { json },
        request('get', path, { params: { path: inPath, query } }),
        pageLines(rowOf, none, [command, ...words.map((word) => printable(String(word)))].join(' '), options),
      )
    },
})

/** The plain actions as an account. */
export const plain = actionsBy(printAnswer)
