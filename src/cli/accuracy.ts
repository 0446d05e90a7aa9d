import { Argument, type Command } from 'commander'
import type { Body, Data } from './api-types.ts'
import { addJson, clientCommand, type Json, printAnswer } from './client-command.ts'
import { count } from './text.ts'

type Strictness = Body<'setStrictness'>['strictness']

const notes = `A strict account is shown fewer texts, and more of them are requests: the surer ones alone; the others are what may be one
(--include maybe). Lists and counts follow within minutes.`

/** `wishwell accuracy`: how often detection is right, and how strict it is. */
export function accuracyCommand(): Command {
  const says = 'show how often detection is right, or set how sure it must be of what is shown (free)'
  return addJson(clientCommand('accuracy', says, { notes, examples: '  wishwell accuracy strict' }))
    .addArgument(new Argument('[strictness]', 'how sure').choices(['usual', 'strict'] satisfies Strictness[]))
    .action((strictness: Strictness | undefined, options: Json) =>
      printAnswer(
        options,
        (api) =>
          strictness === undefined
            ? api.GET('/api/v1/accuracy')
            : api.PUT('/api/v1/accuracy', { body: { strictness } }),
        ({ data }) => formatAccuracy(data),
      ),
    )
}

/** The account's strictness and, per class with enough answers, how many of 100 texts are requests. */
function formatAccuracy({ strictness, shown, maybe, hidden }: Data<'getAccuracy'>): string[] {
  const inHundred = (share: number | null) => Math.round(100 * share!)
  const shares = Object.entries({ shown, maybe, hidden }).flatMap(([name, { share, low, high, labels }]) =>
    share === null
      ? []
      : `Of 100 texts ${inHundred(share)} (${inHundred(low)} to ${inHundred(high)}) are requests: ${name}, by ${count(labels, 'answer')}`,
  )
  return [`Strictness: ${strictness}`, ...(shares.length > 0 ? shares : ['Too few drawn texts are answered yet.'])]
}
