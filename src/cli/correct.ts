import { Argument, type Command } from 'commander'
import { addJson, clientCommand, type Json, printAnswer } from './client-command.ts'
import { printable } from './text.ts'

const help = {
  notes: `A correction holds for the account, in all lists, searches and counts of its own. It survives the expiry of the request. An account can
have 10,000.`,
  failed: 'the service refused, or has no such request',
  examples: `  wishwell search 'dark mode' --json | jq -r '.data.results[] | ._id + " " + .title'
  wishwell wishes correct 6f1c2f4e-0000-4000-8000-000000000000 not-request`,
}

/** What the second argument stands for; null removes the correction. */
const corrections = { request: true, 'not-request': false, undo: null } as const

type Word = keyof typeof corrections

const outcomes: Record<Word, string> = {
  request: 'is a feature request for this account.',
  'not-request': 'is no feature request for this account.',
  undo: 'has no correction of this account.',
}

async function correct(requestId: string, word: Word, options: Json): Promise<void> {
  const isRequest = corrections[word]
  const params = { path: { id: requestId } }
  await printAnswer(
    options,
    (api) =>
      isRequest === null
        ? api.DELETE('/api/v1/requests/{id}/correction', { params })
        : api.PUT('/api/v1/requests/{id}/correction', { params, body: { isRequest } }),
    ({ data }) => [`Request ${printable(data.requestId)} ${outcomes[word]}`],
  )
}

/** `wishwell wishes correct`: what the account says about a request. */
export function correctCommand(): Command {
  return addJson(clientCommand('wishes correct', 'say that a request is a feature request, or is none (free)', help))
    .argument('<requestId>', 'the _id of a request, as --json shows it')
    .addArgument(new Argument('<correction>', 'what it is').choices(Object.keys(corrections)))
    .action(correct)
}
