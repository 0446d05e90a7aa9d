/**
 * What is not known of the real platforms, because no source says it: each can be simulated in every way that was reported. An
 * adapter must recognise them all.
 */
export interface Behaviour {
  /** `advanced_search=true` of GitHub: without it OR is refused, or it is the default, or GitHub refuses OR in any case. */
  githubAdvancedSearch: 'needed' | 'default' | 'refused'
  /** Discussions of GitHub for each generated topic. */
  githubDiscussions: number
  /** Whether a search for discussions obeys `category:`. */
  githubCategory: 'obeyed' | 'ignored'
  /** A list of GitLab with `search` and without a token; `ignored` answers as if there were no search. */
  gitlabAnonymousSearch: 'allowed' | 'refused' | 'unauthorized' | 'forbidden' | 'ignored'
  /** A single question of Stack Exchange that was deleted: left out of the list, or an error 404. */
  stackexchangeMissing: 'left_out' | 'error'
}

export const usualBehaviour: Behaviour = {
  githubAdvancedSearch: 'needed',
  githubDiscussions: 0,
  githubCategory: 'obeyed',
  gitlabAnonymousSearch: 'allowed',
  stackexchangeMissing: 'left_out',
}
