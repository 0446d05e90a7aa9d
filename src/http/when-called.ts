/** A function that is made by its first call. */
export function whenCalled<Parameters extends unknown[], Result>(
  make: () => (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  let made: ((...parameters: Parameters) => Result) | undefined
  return (...parameters) => {
    made ??= make()
    return made(...parameters)
  }
}
