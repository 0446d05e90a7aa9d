const term = (observed: number, expected: number) => (observed > 0 ? observed * Math.log(observed / expected) : 0)

/**
 * How significant it is that something is in `found` of `among` texts when it is in `foundElsewhere` of `amongOthers`: the
 * log-likelihood ratio G² (Dunning, "Accurate methods for the statistics of surprise and coincidence", 1993, over the whole
 * contingency table). Counts may be weighted. 0 when it is no more frequent than elsewhere; above 10.83 it is chance once in
 * a thousand.
 */
export function logLikelihood(found: number, among: number, foundElsewhere: number, amongOthers: number): number {
  if (among <= 0 || amongOthers <= 0 || found / among <= foundElsewhere / amongOthers) return 0
  const total = among + amongOthers
  const having = found + foundElsewhere
  const lacking = total - having
  return (
    2 *
    (term(found, (among * having) / total) +
      term(foundElsewhere, (amongOthers * having) / total) +
      term(among - found, (among * lacking) / total) +
      term(amongOthers - foundElsewhere, (amongOthers * lacking) / total))
  )
}
