import type { Answer } from './answers.ts'
import type { SearchRequest, SimulatedPlatform } from './platform-shape.ts'

export interface AnsweredPages {
  add(request: SearchRequest, answer: Answer): void
  /** The answer to the page before this one of the same search; null for a first page. */
  before(request: SearchRequest): Answer | null
}

/** More than the sources of any platform whose pages rotate. */
const maximumRemembered = 50

/** Remembers the latest true answers of one platform. */
export function createAnsweredPages(platform: SimulatedPlatform): AnsweredPages {
  const latest: { request: SearchRequest; answer: Answer }[] = []
  return {
    add: (request, answer) => {
      latest.unshift({ request, answer })
      latest.splice(maximumRemembered)
    },
    before: (request) => {
      const page = platform.page(request)
      const known = latest.find((entry) => platform.page(entry.request) === page - 1 && isSame(entry.request, request))
      return known?.answer ?? null
    },
  }
}

/** Two pages of one search differ in a single parameter: the page or the cursor, whatever its name. */
function isSame(left: SearchRequest, right: SearchRequest): boolean {
  const names = new Set([...left.parameters.keys(), ...right.parameters.keys()])
  const different = [...names].filter((name) => left.parameters.get(name) !== right.parameters.get(name))
  return left.path === right.path && different.length <= 1
}
