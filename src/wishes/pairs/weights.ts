import type { featureNames } from './features.ts'

/** Made by scripts/wishes/fit.ts, which says how; numbers only. */
export const pairModel: {
  weights: Readonly<Record<(typeof featureNames)[number], number>>
  bias: number
  joiningThreshold: number
  possiblySameThreshold: number
} = {
  weights: {
    titleCosine: -1.6377,
    textCosine: 4.0632,
    titleContainment: 0.2947,
    coverageLess: 1.9322,
    coverageMore: 1.5234,
    bigrams: 0.52,
    sharedRarity: 1.033,
    unsharedRarity: -0.37,
    rarestUnshared: 0.7472,
    rarestShared: -0.8054,
    sameTitle: -0.2013,
    lengthRatio: -0.4305,
    shortText: -0.6742,
    titleTimesText: -2.2286,
    titleSquared: 0.5125,
    textSquared: -2.45,
    coverageTimesText: -0.7751,
    opposed: -1.5425,
    differentNumbers: 0.0239,
    differentParts: -0.8848,
    differentSubjects: -0.3699,
    reciprocalRank: 1.3462,
    titleAboveMean: 2.4315,
    textAboveMean: 3.9845,
  },
  bias: -4.9612,
  joiningThreshold: 0.3,
  possiblySameThreshold: 0.1,
}
