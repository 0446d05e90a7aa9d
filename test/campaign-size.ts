/**
 * How many rounds a campaign of random or exhaustive checks runs: a few in `npm test`, many in `npm run test:nightly`. The environment
 * variable `name` overrides both, for a search of one's own.
 */
export function campaignSize(name: string, { quick, nightly }: { quick: number; nightly: number }): number {
  const size = Number(process.env[name] ?? (process.env.TEST_NIGHTLY === undefined ? quick : nightly))
  if (!Number.isInteger(size) || size < 1) throw new Error(`${name} must be a positive whole number.`)
  return size
}

/** The seed of a campaign of kills: always the same in `npm test`, `TEST_SEED` in the nightly tests. */
export const crashSeed = (): number =>
  process.env.TEST_NIGHTLY === undefined ? 1 : Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
