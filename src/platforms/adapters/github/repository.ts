import { asFields, asString, type Fields } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'
import type { GithubApi } from './api.ts'

/** Whether a repository, as REST or GraphQL describes it, is one that everybody may read. */
export function isPublicRepository(repository: Fields | null): boolean {
  const isPrivate = repository?.private ?? repository?.isPrivate
  const visibility = asString(repository?.visibility) ?? 'public'
  return isPrivate === false && visibility.toLowerCase() === 'public'
}

/**
 * Which of these repositories everybody can read now. One request for all with a token (GraphQL), without one a request for each.
 * A repository about which GitHub cannot answer now is not among them.
 * @param repositories as `owner/repository`, each once.
 */
export async function findPublicRepositories(
  api: GithubApi,
  repositories: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (repositories.length === 0) return new Set()
  try {
    const found = api.hasToken
      ? await queryRepositories(api, repositories, signal)
      : await readRepositories(api, repositories, signal)
    return new Set(repositories.filter((_, index) => isPublicRepository(found[index] ?? null)))
  } catch (error) {
    if (!(error instanceof PlatformError) || signal.aborted) throw error
    return new Set()
  }
}

/** GraphQL follows the new name of a repository (`followRenames`). `__typename` is there also when no repository can be read. */
async function queryRepositories(api: GithubApi, repositories: readonly string[], signal: AbortSignal) {
  const fields = repositories.map((repository, index) => {
    const [owner, name] = repository.split('/')
    const named = `owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}`
    return `r${index}: repository(${named}) { isPrivate visibility }`
  })
  const { data } = await api.query(`query { __typename ${fields.join('\n')} }`, {}, signal)
  return repositories.map((_, index) => asFields(data[`r${index}`]))
}

async function readRepositories(api: GithubApi, repositories: readonly string[], signal: AbortSignal) {
  const found: Array<Fields | null> = []
  for (const repository of repositories) {
    const { status, body } = await api.read(`/repos/${repository}`, signal)
    found.push(status === 200 ? asFields(body) : null)
  }
  return found
}
