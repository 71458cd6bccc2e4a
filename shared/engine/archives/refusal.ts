/** Why an archive was refused. The reason and its detail are logged, so they never contain text from the file. */
export type RefusalReason =
  /** The file does not begin with a zip signature. */
  | 'notZip'
  /** The file ends before the archive ends. */
  | 'truncated'
  /** The archive contains contradictory data, or its data cannot be inflated. */
  | 'damaged'
  | 'encrypted'
  /** The events are compressed with something other than Deflate. */
  | 'unknownMethod'
  /** No file in the archive begins like a file with trace events. */
  | 'noTrace'
  | 'unknownVersion'
  | 'tooLarge'
  | 'tooManyEntries'
  | 'inflatesTooFar'
  | 'tooSlow';

/** Thrown by the archive reader. `readTrace` returns the reason, and `archiveMembers` throws an API error instead. */
export class RefusedArchive extends Error {
  override name = 'RefusedArchive';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
