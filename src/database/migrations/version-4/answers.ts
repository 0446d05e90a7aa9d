/** The version that cached answers of every process follow. */
export const cachedAnswers: readonly string[] = []
