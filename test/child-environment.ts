/**
 * What a process that a test starts always has: the way to programs, and the cache of compiled modules that `npm test` uses itself.
 * Without that cache a start of the service takes twice the CPU time.
 */
export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  // Where 'wishwell login' saves: never the one of who runs the tests.
  XDG_CONFIG_HOME: '/nonexistent',
}
