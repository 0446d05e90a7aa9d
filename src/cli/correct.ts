import { Argument, Command } from 'commander'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { printable } from './text.ts'

const help = `${environmentHelp}

A correction holds for the account, in all lists, searches and counts of its own. It survives the expiry of the request. An account can
have 10,000.

Exit codes: 0 done; 1 the service refused, or has no such request; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 too many requests.

Examples:
  wishwell search 'dark mode' --json | jq -r '.data.results[] | ._id + " " + .title'
  wishwell wishes correct 6f1c2f4e-0000-4000-8000-000000000000 not-request`

/** What the second argument stands for; null removes the correction. */
const corrections = { request: true, 'not-request': false, undo: null } as const

type Word = keyof typeof corrections

const outcomes: Record<Word, string> = {
  request: 'is a feature request for this account.',
  'not-request': 'is no feature request for this account.',
  undo: 'has no correction of this account.',
}

/** `wishwell wishes correct`: what the account says about a request. */
export function correctCommand(): Command {
  return new Command('correct')
    .description('say that a request is a feature request, or is none (free)')
    .argument('<requestId>', 'the _id of a request, as --json shows it')
    .addArgument(new Argument('<correction>', 'what it is').choices(Object.keys(corrections)))
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell wishes correct --help shows every option)')
    .action(async (requestId: string, word: Word, { json }: { json: boolean }) => {
      exitWhenOutputCloses()
      const answer = await createApi(readClientConfig()).correctRequest(requestId, corrections[word])
      if (json) printJson(answer)
      else printLines([`Request ${printable(answer.data.requestId)} ${outcomes[word]}`])
    })
}
