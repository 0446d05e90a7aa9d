/** By what an issue or a discussion is read again. */
export interface GithubHandle {
  /** The global id of GraphQL, `node_id` of REST. */
  nodeId: string
  /** `owner/repository`; null for a discussion whose repository GitHub did not name. */
  repository: string | null
  /** Of an issue, which has a number of its own in REST; a discussion has none. */
  issue: { sourceId: string; number: number } | null
}

export interface IssueIds {
  nodeId: string | null
  sourceId: string
  /** `owner/repository`. */
  repository: string | null
  number: number | null
}

/** `<node id> <id> <owner/repository>#<number>`: GraphQL reads an issue by the first, REST by the last. Null if one is missing. */
export function issueHandle({ nodeId, sourceId, repository, number }: IssueIds): string | null {
  if (nodeId === null || repository === null || number === null) return null
  return `${nodeId} ${sourceId} ${repository}#${number}`
}

/** `<node id> <owner/repository>`, or the node id alone where the repository has no name. */
export const discussionHandle = (nodeId: string, repository: string | null): string =>
  repository === null ? nodeId : `${nodeId} ${repository}`

/** Reads a handle of an issue or of a discussion; null for another text. */
export function readHandle(handle: string): GithubHandle | null {
  const [nodeId = '', ...rest] = handle.split(' ')
  if (!/^[\w=-]+$/.test(nodeId)) return null
  if (rest.length === 0) return { nodeId, repository: null, issue: null }
  const path = rest.at(-1) ?? ''
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)(?:#(\d+))?$/.exec(path) ?? []
  const hasNumber = number !== undefined
  if (repository === undefined || rest.length !== (hasNumber ? 2 : 1)) return null
  return { nodeId, repository, issue: hasNumber ? { sourceId: rest[0] ?? '', number: Number(number) } : null }
}
