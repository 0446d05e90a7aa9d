import { Type } from 'typebox'
import type { Authentication } from '../../../accounts/authentication.ts'
import { requestStatuses } from '../../../database/column-types.ts'
import type { App } from '../../../http/app-type.ts'
import { bodyErrors, closed, errorResponses, moment, nullable, openWord, trimmedText } from '../../../http/schemas.ts'
import { invalidField } from '../../../http/validation.ts'
import type { PlatformClient } from '../../client/client.ts'
import { boardFields, readBoard } from './description.ts'
import { BoardError } from './paths.ts'
import { tryBoard } from './try.ts'

const answer = closed({
  name: Type.String(),
  pages: Type.Array(closed({ items: Type.Integer(), stored: Type.Integer(), hasNext: Type.Boolean() })),
  error: nullable(Type.String({ description: 'Why the next page could not be read' })),
  fields: Type.Array(
    closed({
      field: openWord(boardFields, 'What it becomes'),
      found: Type.Integer({ description: 'How many items have it' }),
      example: nullable(Type.String()),
    }),
  ),
  items: Type.Integer(),
  requests: Type.Array(
    closed({
      title: Type.String(),
      votes: Type.Integer(),
      status: nullable(openWord(requestStatuses, 'By the board')),
      createdAt: nullable(moment('By the board')),
      sourceUrl: Type.String(),
    }),
    { description: 'What would be stored, the first 20' },
  ),
  notes: Type.Array(Type.String(), { description: 'What is doubtful' }),
})

/** `POST /api/admin/boards/try`: for the operator alone, since the service calls the address that it says. */
export function registerBoardTrial(
  app: App,
  { authentication, platformClient: client }: { authentication: Authentication; platformClient: PlatformClient },
): void {
  app.post(
    '/api/admin/boards/try',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        operationId: 'tryBoard',
        summary: 'Read a board as a description says, and show what would be stored',
        description: 'Two pages at most; nothing is stored. See docs/platforms/board.md.',
        tags: ['Admin'],
        security: [{ adminKey: [] }],
        body: closed({
          description: Type.String({ maxLength: 20_000, description: 'The text of the file' }),
          secret: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,1000}$', description: 'Only for this call' })),
          topic: Type.Optional(trimmedText(2, 100, 'What to look for')),
        }),
        response: { 200: closed({ data: answer }), ...errorResponses(...bodyErrors) },
      },
    },
    async ({ body: { description, secret, topic = 'dark mode' }, signal }) => {
      try {
        const board = readBoard(description, secret)
        const { requests, ...tried } = await tryBoard(board, topic, { client, signal })
        const shown = requests.map(({ title, votes, status, originalCreatedAt, sourceUrl }) => ({
          title,
          votes,
          status,
          createdAt: originalCreatedAt?.toISOString() ?? null,
          sourceUrl,
        }))
        return { data: { ...tried, requests: shown } }
      } catch (error) {
        if (error instanceof BoardError) throw invalidField('description', error.message)
        throw error
      }
    },
  )
}
