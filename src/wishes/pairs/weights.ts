import type { featureNames } from './features.ts'

/** Made by scripts/wishes/fit.ts, which says how; numbers only. */
export const pairModel: {
  weights: Readonly<Record<(typeof featureNames)[number], number>>
  bias: number
  joiningThreshold: number
  possiblySameThreshold: number
} = {
  weights: {
    titleCosine: -1.6918,
    textCosine: 4.0628,
    titleContainment: 0.3404,
    coverageLess: 1.9208,
    coverageMore: 1.5259,
    bigrams: 0.5432,
    sharedRarity: 1.0056,
    unsharedRarity: -0.3897,
    rarestUnshared: 0.7254,
    rarestShared: -0.7921,
    sameTitle: -0.1788,
    lengthRatio: -0.435,
    shortText: -0.6811,
    titleTimesText: -2.2238,
    titleSquared: 0.5457,
    textSquared: -2.4589,
    coverageTimesText: -0.7785,
    opposed: -1.5414,
    differentNumbers: 0.0286,
    differentParts: -0.8773,
    differentSubjects: -0.2959,
    reciprocalRank: 1.3404,
    titleAboveMean: 2.4427,
    textAboveMean: 4.0058,
  },
  bias: -5.0061,
  joiningThreshold: 0.3,
  possiblySameThreshold: 0.1,
}
