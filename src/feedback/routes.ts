import { type Static, Type } from 'typebox'
import { type Audience, audiencesOf, type RouteDependencies } from '../accounts/authentication.ts'
import type { App } from '../http/app-type.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { pageOf, pageOfShort, pageParameters } from '../http/pagination.ts'
import { closed, defaulted, oneOf, reading, sending } from '../http/schemas.ts'
import { createUploads, type UploadLimits } from '../http/uploads.ts'
import { invalidField } from '../http/validation.ts'
import { createSlots } from '../platforms/budget/slots.ts'
import type { TextWriting } from '../requests/store/unwritten-texts.ts'
import { type ForeignFile, UnreadableFileError } from '../runtime/foreign/file.ts'
import { parsedJson } from '../runtime/foreign/json.ts'
import { describeFile, importAnswer, importSummary, name } from './answer.ts'
import { type ColumnMapping, type ImportField, importFields } from './columns.ts'
import { type CheckedFile, checkFile, openFile, readRequests } from './file.ts'
import { registerForm } from './form.ts'
import { importFormats } from './formats.ts'
import { deleteImport, listImports } from './imports.ts'
import { importName } from './names.ts'
import { storeAsks } from './store.ts'

/** Files read and stored at once; other accounts' wait. */
const importsAtOnce = 2
/** For values of `map`: as long as any file's header. */
const maxColumnName = 200

const importQuery = closed({
  name,
  format: Type.Optional(oneOf(importFormats, { description: 'Whose export it is; by default what its columns say' })),
  map: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: `Columns mapped by hand, as a JSON object of fields and columns: {"title": "Subject"}; an empty column: none. Fields: ${importFields.join(', ')}`,
    }),
  ),
  areRequests: Type.Optional(
    Type.Boolean({
      description:
        'Whether each row is a feature request; by default so for exports of boards, while detection judges others',
    }),
  ),
  dryRun: defaulted(Type.Boolean({ default: false, description: 'Only checks the file: nothing is stored' })),
})

/** Columns named by `map`. @throws ServiceError INVALID_REQUEST */
function readMap(text: string | undefined): ColumnMapping {
  if (text === undefined) return {}
  const given = parsedJson(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidField('map', 'must be a JSON object')
  const mapping: ColumnMapping = {}
  for (const [field, column] of Object.entries(given)) {
    if (!importFields.includes(field as ImportField))
      throw invalidField('map', `${field.slice(0, 50)} is not one of ${importFields.join(', ')}`)
    if (typeof column !== 'string' || column.length > maxColumnName)
      throw invalidField('map', `${field} must be the name of a column`)
    mapping[field as ImportField] = column
  }
  return mapping
}

const wrongFile = (errors: CheckedFile['errors'], wrongRows: number) =>
  new ServiceError(
    'INVALID_REQUEST',
    `Nothing was imported: ${errors.map(({ at, message }) => `${at}: ${message}`)[0]}${wrongRows > 1 ? ` ${wrongRows - 1} more ${wrongRows === 2 ? 'row is' : 'rows are'} wrong.` : ''}`,
    { details: errors.map(({ at, message }) => ({ path: at, message })) },
  )

interface FeedbackAudience extends Audience {
  whose: string
  tags: string[]
}

interface FeedbackDependencies extends RouteDependencies {
  texts: TextWriting
  dataDir: string
  uploadLimits?: UploadLimits
}

/** Routes for own feedback: files, and asks of a form. */
export async function registerFeedbackRoutes(app: App, dependencies: FeedbackDependencies): Promise<void> {
  const { account, operator } = audiencesOf(dependencies.authentication)
  const audiences: FeedbackAudience[] = [
    { ...account, whose: 'Only the account sees it.', tags: ['Feedback'] },
    { ...operator, whose: 'All accounts see it.', tags: ['Admin'] },
  ]
  registerForm(app, dependencies)
  const importing = createImporting(app, dependencies)
  for (const audience of audiences) {
    await registerImport(app, dependencies, audience, importing)
    registerList(app, dependencies, audience)
    registerDelete(app, dependencies, audience)
  }
}

function createImporting(app: App, { dataDir, uploadLimits }: FeedbackDependencies) {
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort(new ServiceError('UNAVAILABLE', 'The service is stopping.')))
  const { signal } = stopping
  return {
    signal,
    receive: createUploads(dataDir, signal, uploadLimits),
    enterTurn: createSlots(importsAtOnce, Number.POSITIVE_INFINITY),
  }
}

/** The body is the file, whatever its content type: programs disagree on CSV's. */
async function registerImport(
  app: App,
  dependencies: FeedbackDependencies,
  audience: FeedbackAudience,
  { signal, receive, enterTurn }: ReturnType<typeof createImporting>,
): Promise<void> {
  const { prefix, onChange, requireStill, changeErrors, accountIdOf, idSuffix, whose, tags, security } = audience
  const importFile = async (query: Static<typeof importQuery>, accountId: string | null, file: ForeignFile) => {
    const { name: given, format, areRequests, map, dryRun } = query
    const name = importName(accountId, given)
    const opened = await openFile({ file, name, format, areRequests, given: readMap(map) })
    const checked = await checkFile(opened)
    if (checked.wrongRows > 0) throw wrongFile(checked.errors, checked.wrongRows)
    const store = { accountId, name, count: checked.asks, now: dependencies.clock.now(), signal }
    const stored = dryRun ? null : await storeAsks(dependencies, readRequests(opened), store)
    return { data: { ...describeFile(opened, checked), stored } }
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The handler receives it.
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    ;(scope as App).post(
      `${prefix}/feedback/imports`,
      {
        onRequest: onChange,
        schema: {
          operationId: `importFeedback${idSuffix}`,
          summary: 'Import a file of feedback',
          description: `CSV, JSON Lines or JSON, at most 64 MiB and 200,000 rows. ${whose} All of it is checked before anything is stored; rows that are wrong are named in \`details\`. The same file again updates, and doubles nothing: a row is known by its id, else its address, else its text. Free.`,
          tags,
          security,
          querystring: importQuery,
          consumes: ['text/csv', 'application/x-ndjson', 'application/json'],
          body: Type.Unsafe<Buffer>({ description: 'The file' }),
          response: sending(importAnswer, ...changeErrors, 'CONFLICT'),
        },
      },
      async (request, reply) => {
        const accountId = accountIdOf(request)
        const upload = await receive(accountId ?? 'operator', request, reply)
        try {
          const leave = await enterTurn(signal)
          try {
            await requireStill(request, reply)
            return await importFile(request.query, accountId, upload.read)
          } finally {
            leave?.()
          }
        } catch (error) {
          if (error instanceof UnreadableFileError)
            throw new ServiceError('INVALID_REQUEST', `Nothing was imported: ${error.message}`)
          throw error
        } finally {
          await upload.close()
        }
      },
    )
  })
}

function registerList(app: App, { database }: RouteDependencies, audience: FeedbackAudience): void {
  const { prefix, onRequest, accountIdOf, idSuffix, tags, security } = audience
  app.get(`${prefix}/feedback/imports`, {
    onRequest,
    schema: {
      operationId: `listImports${idSuffix}`,
      summary: 'List the imports',
      description: 'By name.',
      tags,
      security,
      querystring: closed(pageParameters),
      response: reading(pageOf(importSummary)),
    },
    handler: async (request) => {
      const imports = await listImports(database, accountIdOf(request))
      return { data: pageOfShort(imports, request.query, { list: 'imports', positionOf: (one) => one.name }) }
    },
  })
}

function registerDelete(app: App, { database }: RouteDependencies, audience: FeedbackAudience): void {
  const { prefix, onChange, changeErrors, accountIdOf, idSuffix, tags, security } = audience
  app.delete(`${prefix}/feedback/imports/:name`, {
    onRequest: onChange,
    schema: {
      operationId: `deleteImport${idSuffix}`,
      summary: 'Delete an import with all of its asks',
      description: 'For good.',
      tags,
      security,
      params: closed({ name }),
      response: sending(
        closed({ name, deleted: Type.Integer({ description: 'Asks that were deleted' }) }),
        ...changeErrors,
        'NOT_FOUND',
      ),
    },
    handler: async (request) => {
      const deleted = await deleteImport(
        database,
        importName(accountIdOf(request), request.params.name),
        request.signal,
      )
      if (deleted === null) throw notFound('Import')
      return { data: { name: request.params.name, deleted } }
    },
  })
}
