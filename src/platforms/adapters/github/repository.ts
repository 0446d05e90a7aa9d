import { asFields, asString, type Fields } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'
import type { GithubApi } from './api.ts'

/** Whether a REST or GraphQL repository is readable by everybody. */
export function isPublicRepository(repository: Fields | null): boolean {
  const isPrivate = repository?.private ?? repository?.isPrivate
  const visibility = asString(repository?.visibility) ?? 'public'
  return isPrivate === false && visibility.toLowerCase() === 'public'
}

/** Leaves out repositories GitHub cannot report on now. @param repositories distinct `owner/repository` names */
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

/** Follows renamed repositories (`followRenames`). `__typename` keeps the answer valid if none is readable. */
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
