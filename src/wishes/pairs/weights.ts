import type { featureNames } from './features.ts'

/** Made by scripts/wishes/fit.ts, which says how; numbers only. */
export const pairModel: {
  weights: Readonly<Record<(typeof featureNames)[number], number>>
  bias: number
  joiningThreshold: number
  possiblySameThreshold: number
} = {
  weights: {
    titleCosine: -2.0934,
    textCosine: 3.9615,
    titleContainment: 0.5761,
    coverageLess: 2.0787,
    coverageMore: 1.5588,
    bigrams: 0.5564,
    sharedRarity: 1.416,
    unsharedRarity: -0.8136,
    rarestUnshared: 0.7874,
    rarestShared: -0.7372,
    sameTitle: 0.0128,
    lengthRatio: -0.394,
    shortText: -0.512,
    titleTimesText: -2.3529,
    titleSquared: 0.5057,
    textSquared: -2.3061,
    coverageTimesText: -0.8718,
    opposed: -2.187,
    differentNumbers: -0.1177,
    differentSubjects: -0.1393,
    reciprocalRank: 1.3528,
    titleAboveMean: 2.3049,
    textAboveMean: 4.1933,
  },
  bias: -5.4059,
  joiningThreshold: 0.7,
  possiblySameThreshold: 0.1,
}
