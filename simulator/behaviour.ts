/**
 * What is not known of the real platforms, because no source says it: each can be simulated in every way that was reported, and an
 * adapter must recognise them all. By platform.
 */
export interface Behaviours {
  /** On every platform, whether a search for what is new obeys its instant and its order. */
  newest: {
    since: 'obeyed' | 'ignored'
    order: 'obeyed' | 'ignored'
  }
  github: {
    /** `advanced_search=true`: without it OR is refused, or it is the default, or GitHub refuses OR in any case. */
    advancedSearch: 'needed' | 'default' | 'refused'
    /** Discussions for each generated topic. */
    discussions: number
    /** Whether a search for discussions obeys `category:`. */
    category: 'obeyed' | 'ignored'
  }
  gitlab: {
    /** A list with `search` and without a token; `ignored` answers as if there were no search. */
    anonymousSearch: 'allowed' | 'refused' | 'unauthorized' | 'forbidden' | 'ignored'
  }
  stackexchange: {
    /** A single question that was deleted: left out of the list, or an error 404. */
    missing: 'left_out' | 'error'
  }
  hackernews: {
    /** The parameters that exclude near-misses: refused (400), or ignored, so that near-misses are returned. */
    exactness: 'obeyed' | 'refused' | 'ignored'
    /** A filter by date; one by points is always refused. */
    dateFilter: 'obeyed' | 'refused'
  }
  youtube: {
    /** `searchTerms` of a list of comments. */
    searchTerms: 'obeyed' | 'ignored'
  }
  bluesky: {
    /** The search of the configured server; `refused` as `public.api.bsky.app` refuses it, also with a valid session. */
    search: 'allowed' | 'refused'
  }
  appstore: {
    /** Which forms of a page have no reviews, although there are some: the usual address, all of JSON, or all. */
    empty: 'none' | 'usual' | 'json' | 'all'
  }
}

/** What a test chooses; the rest is as in `usualBehaviours`. */
export type ChosenBehaviours = { [Platform in keyof Behaviours]?: Partial<Behaviours[Platform]> }

const usualBehaviours: Behaviours = {
  newest: { since: 'obeyed', order: 'obeyed' },
  github: { advancedSearch: 'needed', discussions: 0, category: 'obeyed' },
  gitlab: { anonymousSearch: 'allowed' },
  stackexchange: { missing: 'left_out' },
  hackernews: { exactness: 'obeyed', dateFilter: 'obeyed' },
  youtube: { searchTerms: 'obeyed' },
  bluesky: { search: 'allowed' },
  appstore: { empty: 'none' },
}

export function behavioursOf(chosen: ChosenBehaviours = {}): Behaviours {
  const entries = Object.entries(usualBehaviours) as [keyof Behaviours, object][]
  return Object.fromEntries(entries.map(([name, usual]) => [name, { ...usual, ...chosen[name] }])) as never
}
