/** Why an archive cannot be used, as a message for people. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
