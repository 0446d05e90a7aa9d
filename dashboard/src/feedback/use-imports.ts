import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { ImportQuery } from '../api/types.ts'

const importsKey = (owner: string) => [owner, 'imports'] as const

/** The imports of the account, by name. */
export function useImports() {
  const owner = useOwner()
  return useQuery({
    queryKey: importsKey(owner),
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/feedback/imports', { params: { query }, signal }))).results,
    refetchInterval: ({ state }) => (state.data?.some(({ unindexed }) => unindexed > 0) ? 5_000 : false),
  })
}

/** What was imported, or deleted, is in most of what the page shows. */
function useRefresh() {
  const owner = useOwner()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [owner] })
}

export interface FileToImport {
  file: File
  query: ImportQuery
}

const send = ({ file, query }: FileToImport) =>
  dataOf(
    api.POST('/api/v1/feedback/imports', {
      params: { query },
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      bodySerializer: (bytes) => bytes as File,
    }),
  )

/** Checks a file, without storing anything of it. */
export const useFileCheck = () =>
  useMutation({ mutationFn: (one: FileToImport) => send({ ...one, query: { ...one.query, dryRun: true } }) })

export function useFileImport() {
  const refresh = useRefresh()
  return useMutation({ mutationFn: send, onSuccess: () => void refresh() })
}

export function useImportDeletion() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (name: string) => dataOf(api.DELETE('/api/v1/feedback/imports/{name}', { params: { path: { name } } })),
    onSettled: () => void refresh(),
  })
}
