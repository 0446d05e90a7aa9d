import { createGithub } from '../platforms/adapters/github/search.ts'
import { createGitlab } from '../platforms/adapters/gitlab/search.ts'
import { createStackexchange } from '../platforms/adapters/stackexchange/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import type { FoundRequest, Json, Page, PageRequest, Platform, Refreshed } from '../platforms/platform.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

export interface TrackerOptions extends SimulatorOptions {
  token?: string
}

/** The adapters of GitHub, GitLab and Stack Exchange in front of one simulator. */
export async function trackers({ token, ...options }: TrackerOptions = {}) {
  const clock = movableClock()
  const simulator = await simulate({ clock, ...options })
  const { urls } = simulator
  const common = { client: testClient(clock), clock, openBudget }
  return {
    clock,
    simulator,
    github: createGithub({ ...common, baseUrl: urls.github, token }),
    gitlab: createGitlab({ ...common, baseUrl: urls.gitlab, token, projects: ['quillbox/desk:type::feature'] }),
    stackexchange: createStackexchange({ ...common, baseUrl: urls.stackexchange, key: token, sites: ['meta'] }),
  }
}

/** All pages of a search, and the requests on them. */
export async function collectPages(platform: Platform, request: Partial<PageRequest> = {}) {
  const pages: Page[] = []
  let cursor: Json = null
  do {
    const page = await fetchPageOrNull(platform, { topic: 'dark mode', ...request, cursor })
    if (page) pages.push(page)
    cursor = page?.nextCursor ?? null
  } while (cursor !== null)
  return { pages, requests: pages.flatMap((page) => page.requests) }
}

export function readAgain(platform: Platform, requests: readonly FoundRequest[]): Promise<Refreshed[]> {
  const handles = requests.map(({ refreshHandle }) => refreshHandle!)
  return platform.refresh!.read(handles, new AbortController().signal)
}
