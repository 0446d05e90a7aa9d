import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Body } from '../../../client/types.ts'
import { closed, oneOf } from '../../http/schemas.ts'
import { type Call, invalid, tool } from '../tool.ts'

const input = closed({
  what: oneOf(['is_no_request', 'is_a_request', 'same', 'not_the_same', 'does_not_belong']),
  requestId: Type.Optional(Type.String({ maxLength: 100, description: 'Of is_no_request, is_a_request' })),
  wishId: Type.Optional(Type.String({ maxLength: 100, description: 'Of the others' })),
  otherWishId: Type.Optional(Type.String({ maxLength: 100, description: 'Of same, not_the_same' })),
  requestIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Of does_not_belong: they become a wish of their own',
    }),
  ),
})
type Input = Static<typeof input>

const kinds = { same: 'merge', not_the_same: 'part', does_not_belong: 'split' } as const

async function correctRequest({ what, requestId }: Input, { client, signal }: Call): Promise<string> {
  if (requestId === undefined) throw invalid(`requestId: is required for ${what}.`)
  const body = { requestId, isRequest: what === 'is_a_request' }
  return (await answerOf(client.POST('/api/v1/corrections/requests', { body, signal }))).data.correctionId
}

async function correctWishes(what: keyof typeof kinds, given: Input, { client, signal }: Call): Promise<string> {
  const { wishId, otherWishId, requestIds } = given
  if (wishId === undefined) throw invalid(`wishId: is required for ${what}.`)
  const needed = what === 'does_not_belong' ? 'requestIds' : 'otherWishId'
  if (given[needed] === undefined) throw invalid(`${needed}: is required for ${what}.`)
  const others = needed === 'requestIds' ? { requestIds } : { otherWishId }
  const body = { kind: kinds[what], wishId, ...others } as Body<'correctWishes'>
  return (await answerOf(client.POST('/api/v1/corrections/wishes', { body, signal }))).data.correctionId
}

export const correct = tool({
  name: 'correct',
  title: 'Say that something is wrong',
  description:
    'Say that a text is no feature request, or is one; that two wishes are the same, or are not; or that requests do not belong to a wish. It counts at once, for this account; the page can undo it. Only when a person says so. Costs nothing.',
  scope: 'collect',
  input,
  output: closed({ correctionId: Type.String() }),
  async call(given, call) {
    const { what } = given
    const ofRequest = what === 'is_no_request' || what === 'is_a_request'
    const correctionId = ofRequest ? await correctRequest(given, call) : await correctWishes(what, given, call)
    return { summary: `Done: correction ${correctionId}.`, facts: { correctionId } }
  },
})
