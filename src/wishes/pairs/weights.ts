import type { featureNames } from './features.ts'

/** Made by scripts/wishes/fit.ts, which says how; numbers only. */
export const pairModel: {
  weights: Readonly<Record<(typeof featureNames)[number], number>>
  bias: number
  joiningThreshold: number
  possiblySameThreshold: number
} = {
  weights: {
    titleCosine: -1.6818,
    textCosine: 4.0449,
    titleContainment: 0.3423,
    coverageLess: 1.9239,
    coverageMore: 1.5261,
    bigrams: 0.5499,
    sharedRarity: 1.003,
    unsharedRarity: -0.3851,
    rarestUnshared: 0.7093,
    rarestShared: -0.7918,
    sameTitle: -0.196,
    lengthRatio: -0.4348,
    shortText: -0.6818,
    titleTimesText: -2.2441,
    titleSquared: 0.5367,
    textSquared: -2.4008,
    coverageTimesText: -0.7936,
    opposed: -1.5508,
    differentNumbers: 0.0262,
    differentParts: -0.8699,
    differentSubjects: -0.2947,
    reciprocalRank: 1.3438,
    titleAboveMean: 2.4399,
    textAboveMean: 4.0087,
  },
  bias: -5.0049,
  joiningThreshold: 0.3,
  possiblySameThreshold: 0.05,
}
