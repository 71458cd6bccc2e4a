/** Why an archive was refused. The reason and its detail are logged, so they never contain text from the file. */
export type RefusalReason =
  | 'notZip'
  /** The file ends before the archive ends. */
  | 'truncated'
  /** The archive contains contradictory data, or its data cannot be inflated. */
  | 'damaged'
  | 'encrypted'
  /** The compression method is neither Stored nor Deflate. */
  | 'unknownMethod'
  /** No file in the archive contains the `context-options` event with which a Playwright trace begins. */
  | 'noTrace'
  | 'unknownVersion'
  | 'tooLarge'
  | 'tooManyEntries'
  | 'inflatesTooFar'
  | 'tooSlow';

/** Thrown for an unreadable archive. `readTrace` returns the reason, `archiveMembers` throws an API error instead. */
export class RefusedArchive extends Error {
  override name = 'RefusedArchive';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
