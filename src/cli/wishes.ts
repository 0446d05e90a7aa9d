import { Argument, type Command, Option } from 'commander'
import { type Api, answerOf } from './api.ts'
import type { Body, Data, Query } from './api-types.ts'
import {
  addJson,
  clientCommand,
  commandGroup,
  type Json,
  moreOf,
  printAnswer,
  subcommandsOf,
} from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { collectValues, defined, wholeNumber } from './options.ts'
import { plain } from './plain-actions.ts'
import { printable } from './text.ts'
import { correctionRow, formatMark, formatShownWish, wishRow } from './wish-lines.ts'
import { review } from './wishes-review.ts'

const subcommand = subcommandsOf('wishes', {
  notes: 'What is merged, split or marked holds for the account. It can be undone.',
  failed: 'the service refused, or has no such wish',
})

type ListQuery = Query<'listWishes'>
type Mark = NonNullable<ListQuery['mark']>

const orders: NonNullable<ListQuery['sortBy']>[] = ['votes', 'requests', 'growing', 'new']
const corrections = '/api/v1/corrections/wishes'
const marks: Mark[] = ['planned', 'done', 'ignored', 'none']

/** `wishwell wishes`: what people ask for, each wish once. */
export const wishesCommand = (): Command =>
  commandGroup(
    'wishes',
    'list, review, merge, split and mark wishes: each is a set of requests that ask for the same (free)',
    [
      subcommand('list', 'list wishes with their numbers')
        .addOption(
          new Option('--sort <order>', 'most voted, most requests, fastest growing or newest first').choices(orders),
        )
        .addOption(new Option('--mark <mark>', 'only wishes with this mark of the account').choices(marks))
        .option('--starred', 'only wishes with a star of the account')
        .option('--topic <topic>', 'only wishes of this topic')
        .option('--product <product>', 'only wishes of this product; may be repeated', collectValues)
        .option('--limit <wishes>', 'maximum of wishes to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'continue where an earlier list ended')
        .action(plain.page('/api/v1/wishes', wishRow, 'No such wishes.', 'wishes list')),
      subcommand('show', 'show a wish, its requests, and when it was asked for')
        .argument('<wishId>', 'as "wishwell wishes list" shows it')
        .option('--limit <requests>', 'maximum of requests to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'continue where an earlier list ended')
        .action(show),
      subcommand('review', 'answer by single keys which wishes are the same: one pair after the other')
        .option('--topic <topic>', 'only pairs with a wish of this topic')
        .option('--product <product>', 'only pairs with a wish of this product; may be repeated', collectValues)
        .action(review),
      subcommand('merge', 'say that two wishes are the same')
        .argument('<wishId>', 'the wish that stays')
        .argument('<otherWishId>', 'the wish whose requests come into it')
        .action(
          plain.call('post', corrections, merged, {
            body: (wishId: string, otherWishId: string) => ({ kind: 'merge' as const, wishId, otherWishId }),
            isOnce: true,
          }),
        ),
      subcommand('split', 'take requests out of a wish: they are not the same as the others')
        .argument('<wishId>', 'the wish')
        .argument('<requestIds...>', 'the _id of each request, as --json shows it')
        .action(
          plain.call('post', corrections, taken, {
            body: (wishId: string, requestIds: string[]) => ({ kind: 'split' as const, wishId, requestIds }),
            isOnce: true,
          }),
        ),
      subcommand('corrections', 'list the merges, splits and answers of the account, the last made first')
        .option('--limit <corrections>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'continue where an earlier list ended')
        .action(plain.page(corrections, correctionRow, 'No merges, splits or answers.', 'wishes corrections')),
      subcommand('undo', 'undo a merge, a split or an answer')
        .argument('<correctionId>', 'as "wishwell wishes corrections" shows it')
        .action(
          plain.call('delete', `${corrections}/{correctionId}`, (undone) => [
            `Undone: ${printable(undone.correctionId)}`,
          ]),
        ),
      markCommand(),
      correctCommand(),
    ],
  )

const markCommand = () =>
  subcommand('mark', 'mark a wish, for the account alone; what is not given stays')
    .argument('<wishId>', 'as "wishwell wishes list" shows it')
    .addOption(new Option('--as <mark>', 'its mark; "none" removes it').choices(marks))
    .addOption(new Option('--star', 'add a star').conflicts('unstar'))
    .option('--unstar', 'remove the star')
    .option('--note <text>', 'a note; the empty text removes it')
    .option('--owner <name>', 'who looks after it; the empty text removes it')
    .action(plain.call('put', '/api/v1/wishes/{wishId}/mark', marked, { body: newMark }))

const show = (wishId: string, { json, ...query }: Query<'readWish'> & Json) =>
  printAnswer(
    { json },
    (api) => api.GET('/api/v1/wishes/{wishId}', { params: { path: { wishId }, query } }),
    ({ data }) => [
      ...formatShownWish(data, query.cursor !== undefined),
      ...moreOf(`wishes show ${printable(wishId)}`, query, data.members.cursor),
    ],
  )

const undoHint = (correctionId: string) => `Undo it with: wishwell wishes undo ${printable(correctionId)}`

type Correction = Data<'correctWishes'>

const merged = ({ wishId, correctionId }: Correction) => [
  `Wish ${printable(wishId)} has the requests of both now.`,
  undoHint(correctionId),
]

const taken = ({ wishId, otherWishId, correctionId }: Correction) => [
  `Taken out of wish ${printable(wishId)}. The new wish is ${printable(otherWishId)}.`,
  undoHint(correctionId),
]

interface MarkOptions {
  as?: Mark
  star?: true
  unstar?: true
  note?: string
  owner?: string
}

function newMark({ as, star, unstar, note, owner }: MarkOptions) {
  const body: Body<'markWish'> = defined({
    mark: as === 'none' ? null : as,
    starred: star || unstar ? star === true : undefined,
    note,
    owner,
  })
  if (Object.keys(body).length === 0) {
    throw new CommandError('Give one of --as, --star, --unstar, --note, --owner.', exitCodes.usage)
  }
  return body
}

const marked = ({ wishId, mark }: Data<'markWish'>) => [
  `Wish ${printable(wishId)}: ${mark === null ? 'not marked' : formatMark(mark)}`,
]

const correctHelp = {
  notes: `A correction holds for the account, in all lists, searches and counts of its own. It survives the expiry of the request. An account can
have 10,000.`,
  failed: 'the service refused, or has no such request',
  examples: `  wishwell search 'dark mode' --json | jq -r '.data.results[] | ._id + " " + .title'
  wishwell wishes correct 6f1c2f4e-0000-4000-8000-000000000000 not-request`,
}

/** The meanings of the second argument; null removes the correction. */
const meanings = { request: true, 'not-request': false, undo: null } as const

type Word = keyof typeof meanings

const outcomes: Record<Word, string> = {
  request: 'is a feature request for this account.',
  'not-request': 'is no feature request for this account.',
  undo: 'has no correction of this account.',
}

async function correct(requestId: string, word: Word, options: Json): Promise<void> {
  const isRequest = meanings[word]
  await printAnswer(
    options,
    (api) =>
      isRequest === null
        ? undoCorrection(api, requestId)
        : api.POST('/api/v1/corrections/requests', { body: { requestId, isRequest } }),
    () => [`Request ${printable(requestId)} ${outcomes[word]}`],
  )
}

/** Undoes the account's correction of a request. @throws CommandError if there is none */
async function undoCorrection(api: Api, requestId: string) {
  const corrections = '/api/v1/corrections/requests'
  const { data } = await answerOf(api.GET(corrections, { params: { query: { requestId } } }))
  const [correction] = data.results
  if (correction === undefined) throw new CommandError('The account has not corrected this request.')
  const { correctionId } = correction
  return api.DELETE(`${corrections}/{correctionId}`, { params: { path: { correctionId } } })
}

/** `wishwell wishes correct`: the account's opinion on a request. */
function correctCommand(): Command {
  return addJson(
    clientCommand('wishes correct', 'say that a request is a feature request, or is none (free)', correctHelp),
  )
    .argument('<requestId>', 'the _id of a request, as --json shows it')
    .addArgument(new Argument('<correction>', 'what it is').choices(Object.keys(meanings)))
    .action(correct)
}
