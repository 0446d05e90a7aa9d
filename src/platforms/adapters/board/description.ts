import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { requestStatuses } from '../../../database/column-types.ts'
import { closed, oneOf } from '../../../http/schemas.ts'
import { asFields, asList } from '../../content/fields.ts'
import { BoardError, condition, fieldPath, type ReadValues, singlePath } from './paths.ts'
import { type BoardRequest, checkTemplates } from './templates.ts'

/** The request fields a description can map; `id`, `url` and one of `title` and `text` are required. */
export const boardFields = [
  'id',
  'url',
  'title',
  'text',
  'votes',
  'comments',
  'author',
  'authorUrl',
  'createdAt',
  'status',
  'statusChangedAt',
  'tags',
] as const
export type BoardField = (typeof boardFields)[number]

const short = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description ? { description } : {}) })

const pathText = short(300)

export const textFormats = ['plain', 'html', 'markdown'] as const

const paging = Type.Union([
  closed({ by: Type.Literal('none') }),
  closed({
    by: Type.Union([Type.Literal('page'), Type.Literal('offset')]),
    /** Number of the first page; default 1. */
    first: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
    /** Items on a full page: a shorter page is the last. */
    size: Type.Integer({ minimum: 1, maximum: 1_000 }),
    /** Path to whether there are more pages. */
    more: Type.Optional(pathText),
  }),
  closed({
    by: Type.Literal('cursor'),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    /** Path to the next page's cursor. */
    next: pathText,
    /** If that is an address: the parameter with the cursor. */
    parameter: Type.Optional(short(100)),
    more: Type.Optional(pathText),
  }),
])

/** Schema of a description, version 1 (docs/platforms/board.md). */
export const boardDescription = closed({
  version: Type.Literal(1),
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
  title: Type.Optional(short(100)),
  request: closed({
    url: short(2_000),
    method: Type.Optional(oneOf(['GET', 'POST'])),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' }), short(1_000), { maxProperties: 20 }),
    ),
    body: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  paging,
  items: pathText,
  /** JSONPath condition for items that count: `@.private == false`. */
  only: Type.Optional(pathText),
  fields: closed({
    ...(Object.fromEntries(boardFields.map((field) => [field, Type.Optional(pathText)])) as Record<
      BoardField,
      ReturnType<typeof Type.Optional<typeof pathText>>
    >),
    id: pathText,
    url: pathText,
  }),
  textFormat: Type.Optional(oneOf(textFormats)),
  /** If items have status ids: the answer's list of their names. */
  statusNames: Type.Optional(closed({ list: pathText, id: pathText, name: pathText })),
  /** Meanings of status words; usual words need none. */
  statuses: Type.Optional(Type.Record(short(100), oneOf(requestStatuses), { maxProperties: 50 })),
  /** Whether every item is a feature request; else detection judges. */
  areRequests: Type.Optional(Type.Boolean()),
  /** Whether pages come newest first. */
  newestFirst: Type.Optional(Type.Boolean()),
  /** Maximum pages per topic; default 20. */
  maxPages: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  /** Calls allowed per number of seconds; default 20 per 60. */
  budget: Type.Optional(
    closed({
      calls: Type.Integer({ minimum: 1, maximum: 600 }),
      seconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
    }),
  ),
})
type Description = Static<typeof boardDescription>
export type Paging = Description['paging']

export interface Board {
  name: string
  title: string
  /** Host, for messages and budgets. */
  host: string
  request: BoardRequest
  /** Replaces `{secret}`; never in a message. */
  secret: string | undefined
  paging: Paging
  /** The list of an answer; undefined without one. */
  items(body: unknown): unknown
  only: ((items: readonly unknown[]) => unknown[]) | undefined
  /** An answer's cursor, or the address with it. */
  next: ((body: unknown) => unknown) | undefined
  more: ((body: unknown) => unknown) | undefined
  fields: ReadonlyMap<BoardField, ReadValues>
  textFormat: (typeof textFormats)[number]
  /** Reads status names by id from an answer; null if items contain the names themselves. */
  statusNames: ((body: unknown) => ReadonlyMap<string, string>) | null
  statuses: ReadonlyMap<string, (typeof requestStatuses)[number]>
  areRequests: boolean
  newestFirst: boolean
  maxPages: number
  budget: { calls: number; seconds: number }
}

/** Descriptions are short, and their body is sent with every call. */
const maxDescription = 20_000

const validate = new Ajv({ allErrors: true }).compile<Description>(boardDescription)

/** Picks the most specific error: for a union, Ajv reports what each of its variants lacks. */
function formError(): BoardError {
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf')
  const deepest = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), errors[0]!)
  const place = deepest.instancePath.slice(1).replaceAll('/', '.') || 'the description'
  const { additionalProperty, allowedValues, allowedValue } = deepest.params as Record<string, unknown>
  const detail =
    additionalProperty === undefined
      ? Array.isArray(allowedValues)
        ? `: ${allowedValues.join(', ')}`
        : allowedValue === undefined
          ? ''
          : `: ${String(allowedValue)}`
      : `: ${String(additionalProperty).slice(0, 60)}`
  return new BoardError(`${place} ${deepest.message ?? 'is wrong'}${detail}.`)
}

function readStatusNames({ list, id, name }: NonNullable<Description['statusNames']>): Board['statusNames'] {
  const statuses = singlePath(list, 'statusNames.list')
  const [idOf, nameOf] = [fieldPath(id, 'statusNames.id'), fieldPath(name, 'statusNames.name')]
  return (body) => {
    const known = (asList(statuses(body)) ?? []).map(asFields).filter((one) => one !== null)
    return new Map(known.map((one) => [String(idOf(one)[0]), String(nameOf(one)[0] ?? '')]))
  }
}

/** @param secret replaces `{secret}` @throws BoardError with the first error and its place */
export function readBoard(text: string, secret?: string): Board {
  if (text.length > maxDescription) throw new BoardError(`It has more than ${maxDescription} characters.`)
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    throw new BoardError(`It is no JSON: ${(error as Error).message.slice(0, 150)}.`)
  }
  if (!validate(given)) throw formError()
  const { title = given.name, fields, statuses = {} } = given
  if (fields.title === undefined && fields.text === undefined)
    throw new BoardError('fields: a title or a text is needed.')
  const url = checkTemplates(given.request, given.paging, secret)
  const paging = given.paging as Paging & { next?: string; more?: string }
  return {
    name: given.name,
    title,
    host: url.host,
    request: { method: 'GET', headers: {}, ...given.request },
    secret,
    paging: given.paging,
    items: singlePath(given.items, 'items'),
    only: given.only === undefined ? undefined : condition(given.only, 'only'),
    next: paging.next === undefined ? undefined : singlePath(paging.next, 'paging.next'),
    more: paging.more === undefined ? undefined : singlePath(paging.more, 'paging.more'),
    fields: new Map(
      boardFields.flatMap((field) => {
        const path = fields[field]
        return path === undefined ? [] : [[field, fieldPath(path, `fields.${field}`)] as const]
      }),
    ),
    textFormat: given.textFormat ?? 'plain',
    statusNames: given.statusNames === undefined ? null : readStatusNames(given.statusNames),
    statuses: new Map(Object.entries(statuses).map(([word, status]) => [word.toLowerCase().trim(), status])),
    areRequests: given.areRequests ?? false,
    newestFirst: given.newestFirst ?? false,
    maxPages: given.maxPages ?? 20,
    budget: given.budget ?? { calls: 20, seconds: 60 },
  }
}
