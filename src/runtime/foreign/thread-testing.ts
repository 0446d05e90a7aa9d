// What thread.test.ts calls in a thread.

export const double = (number: number): number => 2 * number

export function takeAllMemory(): number {
  const kept: number[][] = []
  for (;;) kept.push(new Array(500_000).fill(0.5))
}

export function takeAllTime(): never {
  for (;;);
}

export const see = (): string[] => Object.keys(process.env)

export function fail(): never {
  throw new RangeError('as it is')
}
