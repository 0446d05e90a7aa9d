/** By what an issue or a discussion is read again. */
export interface GithubHandle {
  /** The global id of GraphQL, `node_id` of REST. */
  nodeId: string
  /** Of an issue, which has a number of its own in REST; a discussion has none. */
  issue: { sourceId: string; repository: string; number: number } | null
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

/** Reads a handle of an issue, or of a discussion, which is its node id alone; null for another text. */
export function readHandle(handle: string): GithubHandle | null {
  const [nodeId = '', sourceId, path] = handle.split(' ')
  if (!/^[\w=-]+$/.test(nodeId)) return null
  if (sourceId === undefined) return { nodeId, issue: null }
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(path ?? '') ?? []
  if (repository === undefined) return null
  return { nodeId, issue: { sourceId, repository, number: Number(number) } }
}
