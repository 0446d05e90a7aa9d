import type { featureNames } from './features.ts'

/** Made by scripts/wishes/fit.ts, which says how; numbers only. */
export const pairModel: {
  weights: Readonly<Record<(typeof featureNames)[number], number>>
  bias: number
  joiningThreshold: number
  possiblySameThreshold: number
} = {
  weights: {
    titleCosine: -1.954,
    textCosine: 3.9991,
    titleContainment: 0.1215,
    coverageLess: 2.1861,
    coverageMore: 1.7421,
    bigrams: 0.509,
    sharedRarity: 1.421,
    unsharedRarity: -1.2428,
    rarestUnshared: 0.9245,
    rarestShared: -1.0425,
    sameTitle: 0.0976,
    lengthRatio: -0.3233,
    shortText: 0.0004,
    titleTimesText: -2.896,
    titleSquared: 0.1312,
    textSquared: -2.8257,
    coverageTimesText: -0.8516,
    opposed: -2.1566,
    differentNumbers: 0.0119,
    reciprocalRank: 1.7407,
    titleAboveMean: 2.9984,
    textAboveMean: 4.4847,
  },
  bias: -5.7339,
  joiningThreshold: 0.5,
  possiblySameThreshold: 0.1,
}
