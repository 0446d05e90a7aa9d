/** Why an archive cannot be used; the message is for people. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
