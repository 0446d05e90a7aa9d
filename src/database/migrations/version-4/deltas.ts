/** Append-only changes of shared counts. */
export const deltas: readonly string[] = []
